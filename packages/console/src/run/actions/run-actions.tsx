/** What can be done with the run, as it stands. */
import { useState } from "react";
import { useRefusal } from "../../app/session.js";
import type { RunView } from "../model/view.js";
import { ConfirmCancel } from "./confirm-cancel.js";
import { RetryDialog } from "./retry-dialog.js";
import { SignalDialog } from "./signal-dialog.js";
import { useAction, usePreview } from "./use-action.js";

type Open = "cancel" | "retry" | "signal" | null;

export function RunActions({ runId, view }: { readonly runId: string; readonly view: RunView }) {
  const { status } = view.header;
  const [open, setOpen] = useState<Open>(null);
  const { mutate, isPending } = useAction(runId);
  const refusal = useRefusal("operator");
  const allowed = (isBusy: boolean) => ({ disabled: isBusy || refusal !== null, title: refusal ?? undefined });
  const { data: approval } = usePreview({
    runId,
    action: "approve",
    seq: view.headSeq,
    enabled: refusal === null && status === "PENDING" && view.seq === view.headSeq,
  });
  if (view.seq !== view.headSeq) return null; // the past cannot be steered
  const isOpen = status === "PENDING" || status === "APPROVED" || status === "RUNNING" || status === "PAUSED";
  const close = (): void => setOpen(null);
  return (
    <div className="row actions">
      {approval?.accepted === true && (
        <button
          type="button"
          className="button primary"
          {...allowed(isPending)}
          onClick={() => mutate({ action: "approve" })}
        >
          Approve
        </button>
      )}
      {status === "RUNNING" && (
        <button type="button" className="button" {...allowed(isPending)} onClick={() => mutate({ action: "pause" })}>
          Pause
        </button>
      )}
      {status === "PAUSED" && (
        <button
          type="button"
          className="button primary"
          {...allowed(isPending)}
          onClick={() => mutate({ action: "resume" })}
        >
          Resume
        </button>
      )}
      {isOpen && (
        <>
          <button type="button" className="button" {...allowed(false)} onClick={() => setOpen("signal")}>
            Signal
          </button>
          <button type="button" className="button danger" {...allowed(false)} onClick={() => setOpen("cancel")}>
            Cancel
          </button>
        </>
      )}
      {(status === "FAILED" || status === "CANCELLED") && (
        <button type="button" className="button primary" {...allowed(false)} onClick={() => setOpen("retry")}>
          Retry
        </button>
      )}
      {open === "cancel" && (
        <ConfirmCancel view={view} onClose={close} onConfirm={() => mutate({ action: "cancel" })} />
      )}
      {open === "retry" && <RetryDialog runId={runId} view={view} onClose={close} />}
      {open === "signal" && <SignalDialog runId={runId} view={view} onClose={close} />}
    </div>
  );
}
