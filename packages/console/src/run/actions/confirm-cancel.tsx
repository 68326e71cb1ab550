import type { RunView } from "../model/view.js";
import { ConfirmDialog } from "./confirm-dialog.js";

interface ConfirmCancelProps {
  readonly view: RunView;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmCancel({ view, ...answers }: ConfirmCancelProps) {
  const title = `Cancel this run of ${view.header.planId ?? "the workflow"}?`;
  return (
    <ConfirmDialog title={title} leave="Let it run" confirm="Cancel the run" {...answers}>
      Steps that are under way are stopped, and completed steps that declare it are taken back, in reverse order. What
      has happened stays on record, and the run can be retried.
    </ConfirmDialog>
  );
}
