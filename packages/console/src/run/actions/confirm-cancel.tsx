import type { RunView } from "../model/view.js";
import { ConfirmDialog } from "../../ui/confirm-dialog.js";

interface ConfirmCancelProps {
  readonly view: RunView;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmCancel({ view, ...handlers }: ConfirmCancelProps) {
  const title = `Cancel this run of ${view.header.planId ?? "the workflow"}?`;
  return (
    <ConfirmDialog title={title} dismiss="Keep running" confirm="Cancel run" {...handlers}>
      Running steps are stopped. Completed steps with a compensation are compensated in reverse order. The history is
      kept, and you can retry the run.
    </ConfirmDialog>
  );
}
