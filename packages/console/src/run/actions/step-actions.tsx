/** The actions that are available for a step in its current state. */
import { useState } from "react";
import { useRefusal } from "../../api/session.js";
import { Button } from "../../ui/button.js";
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
  /** The signal that the step waits for. */
  readonly signal: string | null;
}

export function StepActions({ runId, view, stepId, status, signal }: StepActionsProps) {
  const [open, setOpen] = useState<"retry" | "signal" | "skip" | null>(null);
  const { mutate, isPending } = useAction(runId);
  const refusal = useRefusal("operator");
  const isLatest = view.seq === view.headSeq && refusal === null;
  const preview = { runId, stepId, seq: view.headSeq };
  const isFinished = status === "SUCCESS" || status === "FAILED" || status === "SKIPPED" || status === "CANCELLED";
  const { data: retry } = usePreview({ ...preview, action: "retry", enabled: isLatest && isFinished });
  const { data: skip } = usePreview({ ...preview, action: "skip", enabled: isLatest && !isFinished });
  if (!isLatest) return null;
  const close = (): void => setOpen(null);
  return (
    <div className="row step-actions">
      {status === "WAITING" && signal !== null && (
        <Button variant="primary" size="small" onClick={() => setOpen("signal")}>
          Send “{signal}”
        </Button>
      )}
      {retry?.accepted === true && (
        <Button size="small" onClick={() => setOpen("retry")}>
          Retry from here
        </Button>
      )}
      {skip?.accepted === true && (
        <Button size="small" disabled={isPending} onClick={() => setOpen("skip")}>
          Skip
        </Button>
      )}
      {open === "skip" && (
        <ConfirmSkip stepId={stepId} onClose={close} onConfirm={() => mutate({ action: "skip", stepId })} />
      )}
      {open === "retry" && <RetryDialog runId={runId} view={view} stepId={stepId} onClose={close} />}
      {open === "signal" && <SignalDialog runId={runId} view={view} name={signal!} onClose={close} />}
    </div>
  );
}
