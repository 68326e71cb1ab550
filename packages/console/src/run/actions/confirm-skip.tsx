import { ConfirmDialog } from "./confirm-dialog.js";

interface ConfirmSkipProps {
  readonly stepId: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmSkip({ stepId, ...answers }: ConfirmSkipProps) {
  return (
    <ConfirmDialog title={`Go on without ${stepId}?`} leave="Leave it" confirm="Skip the step" {...answers}>
      It ends here, and what depends on it runs without its output. That is on record with your name; a retry from it
      runs it again.
    </ConfirmDialog>
  );
}
