import { Dialog } from "../../ui/dialog.js";

interface ConfirmSkipProps {
  readonly stepId: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A slip of the hand must not let a run go on without what it needs. */
export function ConfirmSkip({ stepId, onConfirm, onClose }: ConfirmSkipProps) {
  return (
    <Dialog
      title={`Go on without ${stepId}?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Leave it
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            Skip the step
          </button>
        </>
      }
    >
      <p>
        It ends here, and what depends on it runs without its output. That is on record with your name; a retry from it
        runs it again.
      </p>
    </Dialog>
  );
}
