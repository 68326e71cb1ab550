import type { BulkOutcome } from "@runledger/client";
import { capitalize, counted, shortId } from "../../ui/format.js";
import type { BulkAction } from "./bulk-dialog.js";

interface BulkPreviewProps {
  readonly action: BulkAction;
  readonly outcome: BulkOutcome;
  /** Returns the workflow of a run. `undefined` if the run is not in the list. */
  readonly nameOf: (runId: string) => string | undefined;
}

export function BulkPreview({ action, outcome, nameOf }: BulkPreviewProps) {
  const accepted = outcome.items.filter((item) => item.accepted);
  const again = sum(accepted.map(({ runsAgainCount = 0 }) => runsAgainCount));
  const kept = sum(accepted.map(({ keptCount = 0 }) => keptCount));
  return (
    <div className="bulk-preview" data-accepted={outcome.accepted} data-refused={outcome.refused}>
      {accepted.length > 0 && (
        <p>
          {action === "cancel"
            ? `${counted(accepted.length, "run")} will be cancelled. Running steps are stopped, and completed steps with a compensation are compensated.`
            : `${counted(accepted.length, "run")} will be retried: ${counted(again, "step")} in total. ${counted(kept, "completed step")} ${kept === 1 ? "keeps its output" : "keep their outputs"}.`}
        </p>
      )}
      {accepted.length === 0 && <p className="notice">None of these runs can be {WORDS[action]}.</p>}
      {outcome.more && (
        <p className="notice">
          More runs match than one action can process. These are the newest; repeat the action for the rest.
        </p>
      )}
      {accepted.length > 0 && <Runs runIds={accepted.map(({ runId }) => runId)} nameOf={nameOf} />}
      {byReason(outcome).map(([reason, runIds]) => (
        <div key={reason}>
          <h3>Not affected: {counted(runIds.length, "run")}</h3>
          <p className="quiet">{capitalize(reason)}</p>
          <Runs runIds={runIds} nameOf={nameOf} />
        </div>
      ))}
    </div>
  );
}

const WORDS = { cancel: "cancelled", retry: "retried" } as const;
const MAX_SHOWN = 8;

function Runs({ runIds, nameOf }: Pick<BulkPreviewProps, "nameOf"> & { readonly runIds: readonly string[] }) {
  const more = runIds.length - MAX_SHOWN;
  return (
    <ul className="bulk-runs">
      {runIds.slice(0, MAX_SHOWN).map((runId) => (
        <li key={runId} title={runId}>
          {nameOf(runId)} <span className="mono quiet">{shortId(runId)}</span>
        </li>
      ))}
      {more > 0 && <li className="quiet">and {counted(more, "more run")}</li>}
    </ul>
  );
}

/** Groups runs by reason. Reasons contain the run id, so it is replaced first. */
function byReason({ items }: BulkOutcome): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { runId, accepted, reason = "The action was rejected." } of items) {
    if (accepted) continue;
    const shared = reason.replaceAll(`run ${runId}`, "the run").replaceAll(runId, "the run");
    groups.set(shared, [...(groups.get(shared) ?? []), runId]);
  }
  return [...groups];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
