/** Says what will run again and what will be kept, before anything happens. */
import type { ActionOutcome } from "@runledger/client";
import { counted } from "../../ui/format.js";
import { Dialog } from "../../ui/dialog.js";
import { Failure, Loading } from "../../ui/states.js";
import type { RunView } from "../model/view.js";
import { useAction, usePreview } from "./use-action.js";

interface RetryDialogProps {
  readonly runId: string;
  readonly view: RunView;
  /** Absent = whatever failed. */
  readonly stepId?: string;
  readonly onClose: () => void;
}

export function RetryDialog({ runId, view, stepId, onClose }: RetryDialogProps) {
  const { data, error } = usePreview({ runId, action: "retry", stepId, seq: view.headSeq });
  const { mutate } = useAction(runId);
  return (
    <Dialog
      title={stepId === undefined ? "Retry what failed" : `Retry from ${stepId}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Leave it
          </button>
          <button
            type="button"
            className="button primary"
            disabled={data?.accepted !== true}
            onClick={() => {
              mutate({ action: "retry", ...(stepId !== undefined && { stepId }) });
              onClose();
            }}
          >
            {data?.runsAgainCount === undefined ? "Run again" : `Run ${counted(data.runsAgainCount, "step")} again`}
          </button>
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      {error === null && data === undefined && <Loading label="Asking what would happen" lines={3} />}
      {data !== undefined && <Preview outcome={data} rows={view.rows} />}
    </Dialog>
  );
}

const MOST_SHOWN = 50;

interface PreviewProps {
  readonly outcome: ActionOutcome;
  readonly rows: RunView["rows"];
}

/** As they are on the timeline; what is not on it comes last. */
function inOrder(stepIds: readonly string[], rows: RunView["rows"]): readonly string[] {
  const places = new Map(rows.map(({ stepId }, place) => [stepId, place]));
  return [...stepIds].sort((one, other) => (places.get(one) ?? rows.length) - (places.get(other) ?? rows.length));
}

function Preview({ outcome, rows }: PreviewProps) {
  const { accepted, reason, runsAgain = [], runsAgainCount = 0, keptCount = 0 } = outcome;
  if (!accepted) return <p className="notice">It would be refused: {reason}</p>;
  return (
    <>
      <div className="preview">
        <div>
          <h3>Runs again</h3>
          <ul className="step-list mono" data-preview="again">
            {inOrder(runsAgain, rows)
              .slice(0, MOST_SHOWN)
              .map((stepId) => (
                <li key={stepId}>{stepId}</li>
              ))}
            {runsAgainCount > MOST_SHOWN && (
              <li className="quiet">and {counted(runsAgainCount - MOST_SHOWN, "more step")}</li>
            )}
          </ul>
        </div>
        <div>
          <h3>Is kept</h3>
          <p data-preview="kept">
            {counted(keptCount, "completed step")} and {keptCount === 1 ? "its output" : "their outputs"}.
          </p>
        </div>
      </div>
      <p className="quiet">
        Steps run with new attempt numbers and new idempotency keys. What has happened stays on record.
      </p>
    </>
  );
}
