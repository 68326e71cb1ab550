/** The actions that are available for the run in its current state. */
import { useState } from "react";
import { useRefusal } from "../../api/session.js";
import { Button } from "../../ui/button.js";
import type { RunView } from "../model/view.js";
import { ConfirmCancel } from "./confirm-cancel.js";
import { ConfirmCompensate } from "./confirm-compensate.js";
import { RetryDialog } from "./retry-dialog.js";
import { SignalDialog } from "./signal-dialog.js";
import { useAction, usePreview } from "./use-action.js";

type Open = "cancel" | "compensate" | "retry" | "signal" | null;

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
  if (view.seq !== view.headSeq) return null; // actions apply to the latest state only
  const isOpen = status === "PENDING" || status === "APPROVED" || status === "RUNNING" || status === "PAUSED";
  const close = (): void => setOpen(null);
  return (
    <div className="row actions">
      {approval?.accepted === true && (
        <Button variant="primary" {...allowed(isPending)} onClick={() => mutate({ action: "approve" })}>
          Approve
        </Button>
      )}
      {status === "RUNNING" && (
        <Button {...allowed(isPending)} onClick={() => mutate({ action: "pause" })}>
          Pause
        </Button>
      )}
      {status === "PAUSED" && (
        <Button variant="primary" {...allowed(isPending)} onClick={() => mutate({ action: "resume" })}>
          Resume
        </Button>
      )}
      {isOpen && (
        <>
          <Button {...allowed(false)} onClick={() => setOpen("signal")}>
            Signal
          </Button>
          <Button variant="danger" {...allowed(false)} onClick={() => setOpen("cancel")}>
            Cancel
          </Button>
        </>
      )}
      {(status === "FAILED" || status === "CANCELLED") && (
        <Button variant="primary" {...allowed(false)} onClick={() => setOpen("retry")}>
          Retry
        </Button>
      )}
      {status === "FAILED" && (
        <Button {...allowed(false)} onClick={() => setOpen("compensate")}>
          Compensate
        </Button>
      )}
      {open === "compensate" && (
        <ConfirmCompensate view={view} onClose={close} onConfirm={() => mutate({ action: "compensate" })} />
      )}
      {open === "cancel" && (
        <ConfirmCancel view={view} onClose={close} onConfirm={() => mutate({ action: "cancel" })} />
      )}
      {open === "retry" && <RetryDialog runId={runId} view={view} onClose={close} />}
      {open === "signal" && <SignalDialog runId={runId} view={view} onClose={close} />}
    </div>
  );
}
