import type { ReactNode } from "react";
import { Dialog } from "../../ui/dialog.js";

interface ConfirmDialogProps {
  readonly title: string;
  /** What the two buttons say. */
  readonly leave: string;
  readonly confirm: string;
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A slip of the hand must not do what cannot be taken back. */
export function ConfirmDialog({ title, leave, confirm, children, onConfirm, onClose }: ConfirmDialogProps) {
  const confirmed = (): void => {
    onConfirm();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            {leave}
          </button>
          <button type="button" className="button danger" onClick={confirmed}>
            {confirm}
          </button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
