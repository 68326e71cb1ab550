import { ConfirmDialog } from "../../ui/confirm-dialog.js";

interface ConfirmSkipProps {
  readonly stepId: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmSkip({ stepId, ...handlers }: ConfirmSkipProps) {
  return (
    <ConfirmDialog title={`Skip ${stepId}?`} dismiss="Cancel" confirm="Skip step" {...handlers}>
      The step ends now, and steps that depend on it run without its output. The skip is recorded with your name. A
      retry from this step runs it again.
    </ConfirmDialog>
  );
}
