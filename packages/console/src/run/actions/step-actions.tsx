/** What can be done with a step, as the run stands. */
import { useState } from "react";
import { useRefusal } from "../../app/session.js";
import type { RunView, ViewStatus } from "../model/view.js";
import { ConfirmSkip } from "./confirm-skip.js";
import { RetryDialog } from "./retry-dialog.js";
import { SignalDialog } from "./signal-dialog.js";
import { useAction, usePreview } from "./use-action.js";

interface StepActionsProps {
  readonly runId: string;
  readonly view: RunView;
  readonly stepId: string;
  readonly status: ViewStatus;
  /** What it waits for. */
  readonly signal: string | null;
}

export function StepActions({ runId, view, stepId, status, signal }: StepActionsProps) {
  const [open, setOpen] = useState<"retry" | "signal" | "skip" | null>(null);
  const { mutate, isPending } = useAction(runId);
  const refusal = useRefusal("operator");
  const isNow = view.seq === view.headSeq && refusal === null;
  const asked = { runId, stepId, seq: view.headSeq };
  const ended = status === "SUCCESS" || status === "FAILED" || status === "SKIPPED";
  const { data: retry } = usePreview({ ...asked, action: "retry", enabled: isNow && ended });
  const { data: skip } = usePreview({ ...asked, action: "skip", enabled: isNow && !ended });
  if (!isNow) return null;
  const close = (): void => setOpen(null);
  return (
    <div className="row step-actions">
      {status === "WAITING" && signal !== null && (
        <button type="button" className="button primary small" onClick={() => setOpen("signal")}>
          Send “{signal}”
        </button>
      )}
      {retry?.accepted === true && (
        <button type="button" className="button small" onClick={() => setOpen("retry")}>
          Retry from here
        </button>
      )}
      {skip?.accepted === true && (
        <button type="button" className="button small" disabled={isPending} onClick={() => setOpen("skip")}>
          Skip
        </button>
      )}
      {open === "skip" && (
        <ConfirmSkip stepId={stepId} onClose={close} onConfirm={() => mutate({ action: "skip", stepId })} />
      )}
      {open === "retry" && <RetryDialog runId={runId} view={view} stepId={stepId} onClose={close} />}
      {open === "signal" && <SignalDialog runId={runId} view={view} name={signal!} onClose={close} />}
    </div>
  );
}
