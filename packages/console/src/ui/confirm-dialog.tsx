import type { ReactNode } from "react";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";

interface ConfirmDialogProps {
  readonly title: string;
  /** The labels of the two buttons. */
  readonly dismiss: string;
  readonly confirm: string;
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ title, dismiss, confirm, children, onConfirm, onClose }: ConfirmDialogProps) {
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
          <Button onClick={onClose}>{dismiss}</Button>
          <Button variant="danger" onClick={confirmed}>
            {confirm}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
