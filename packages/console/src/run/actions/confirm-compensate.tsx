import type { RunView } from "../model/view.js";
import { ConfirmDialog } from "../../ui/confirm-dialog.js";

interface ConfirmCompensateProps {
  readonly view: RunView;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmCompensate({ view, ...handlers }: ConfirmCompensateProps) {
  const title = `Compensate this run of ${view.header.planId ?? "the workflow"}?`;
  return (
    <ConfirmDialog title={title} dismiss="Keep effects" confirm="Compensate" {...handlers}>
      Completed steps with a compensation are compensated in reverse order. The run then fails with the same error. A
      later retry runs the compensated steps again.
    </ConfirmDialog>
  );
}
