import { Dialog } from "../../ui/dialog.js";
import type { RunView } from "../model/view.js";

interface ConfirmCancelProps {
  readonly view: RunView;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmCancel({ view, onConfirm, onClose }: ConfirmCancelProps) {
  return (
    <Dialog
      title={`Cancel this run of ${view.header.planId ?? "the workflow"}?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Let it run
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            Cancel the run
          </button>
        </>
      }
    >
      <p>
        Steps that are under way are stopped, and completed steps that declare it are taken back, in reverse order. What
        has happened stays on record, and the run can be retried.
      </p>
    </Dialog>
  );
}
