/** Previews which steps run again and which are kept. */
import type { ActionOutcome } from "@runledger/client";
import { Button } from "../../ui/button.js";
import { counted } from "../../ui/format.js";
import { Dialog } from "../../ui/dialog.js";
import { Failure, Loading } from "../../ui/states.js";
import type { RunView } from "../model/view.js";
import { useAction, usePreview } from "./use-action.js";

interface RetryDialogProps {
  readonly runId: string;
  readonly view: RunView;
  /** Default: all failed steps. */
  readonly stepId?: string;
  readonly onClose: () => void;
}

export function RetryDialog({ runId, view, stepId, onClose }: RetryDialogProps) {
  const { data, error } = usePreview({ runId, action: "retry", stepId, seq: view.headSeq });
  const { mutate } = useAction(runId);
  return (
    <Dialog
      title={stepId === undefined ? "Retry failed steps" : `Retry from ${stepId}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={data?.accepted !== true}
            onClick={() => {
              mutate({ action: "retry", ...(stepId !== undefined && { stepId }) });
              onClose();
            }}
          >
            {data?.runsAgainCount === undefined ? "Retry" : `Retry ${counted(data.runsAgainCount, "step")}`}
          </Button>
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      {error === null && data === undefined && <Loading label="Loading preview" lines={3} />}
      {data !== undefined && <Preview outcome={data} rows={view.rows} />}
    </Dialog>
  );
}

const MAX_SHOWN = 50;

interface PreviewProps {
  readonly outcome: ActionOutcome;
  readonly rows: RunView["rows"];
}

/** Sorts by the order of the timeline. Steps that are not on it come last. */
function inOrder(stepIds: readonly string[], rows: RunView["rows"]): readonly string[] {
  const places = new Map(rows.map(({ stepId }, place) => [stepId, place]));
  return [...stepIds].sort((one, other) => (places.get(one) ?? rows.length) - (places.get(other) ?? rows.length));
}

function Preview({ outcome, rows }: PreviewProps) {
  const { accepted, reason, runsAgain = [], runsAgainCount = 0, keptCount = 0 } = outcome;
  if (!accepted) return <p className="notice">This retry would be rejected: {reason}</p>;
  return (
    <>
      <div className="preview">
        <div>
          <h3>Will run again</h3>
          <ul className="step-list mono" data-preview="again">
            {inOrder(runsAgain, rows)
              .slice(0, MAX_SHOWN)
              .map((stepId) => (
                <li key={stepId}>{stepId}</li>
              ))}
            {runsAgainCount > MAX_SHOWN && (
              <li className="quiet">and {counted(runsAgainCount - MAX_SHOWN, "more step")}</li>
            )}
          </ul>
        </div>
        <div>
          <h3>Will be kept</h3>
          <p data-preview="kept">
            {counted(keptCount, "completed step")} and {keptCount === 1 ? "its output" : "their outputs"}.
          </p>
        </div>
      </div>
      <p className="quiet">Steps run with new attempt numbers and new idempotency keys. The history is kept.</p>
    </>
  );
}
