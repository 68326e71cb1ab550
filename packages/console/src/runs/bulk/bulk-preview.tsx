import type { BulkOutcome } from "@runledger/client";
import { capital, counted, shortId } from "../../ui/format.js";
import type { BulkAction } from "./bulk-dialog.js";

interface BulkPreviewProps {
  readonly action: BulkAction;
  readonly outcome: BulkOutcome;
  /** The workflow of a run; undefined = it is not listed. */
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
            ? `${counted(accepted.length, "run")} will be cancelled: steps that are under way are stopped, and completed ones that declare it are taken back.`
            : `${counted(accepted.length, "run")} will run again: ${counted(again, "step")} in all. ${counted(kept, "completed step")} ${kept === 1 ? "keeps its output" : "keep their outputs"}.`}
        </p>
      )}
      {accepted.length === 0 && <p className="notice">None of these runs can be {WORDS[action]}.</p>}
      {outcome.more && (
        <p className="notice">
          More runs fit than are looked at in one go. These are the newest; do the rest after them.
        </p>
      )}
      {accepted.length > 0 && <Runs runIds={accepted.map(({ runId }) => runId)} nameOf={nameOf} />}
      {byReason(outcome).map(([reason, runIds]) => (
        <div key={reason}>
          <h3>Left as they are: {counted(runIds.length, "run")}</h3>
          <p className="quiet">{capital(reason)}</p>
          <Runs runIds={runIds} nameOf={nameOf} />
        </div>
      ))}
    </div>
  );
}

const WORDS = { cancel: "cancelled", retry: "retried" } as const;
const MOST_SHOWN = 8;

function Runs({ runIds, nameOf }: Pick<BulkPreviewProps, "nameOf"> & { readonly runIds: readonly string[] }) {
  const more = runIds.length - MOST_SHOWN;
  return (
    <ul className="bulk-runs">
      {runIds.slice(0, MOST_SHOWN).map((runId) => (
        <li key={runId} title={runId}>
          {nameOf(runId)} <span className="mono quiet">{shortId(runId)}</span>
        </li>
      ))}
      {more > 0 && <li className="quiet">and {counted(more, "more run")}</li>}
    </ul>
  );
}

/** The reasons name the run that they are about; without it, the same ones come together. */
function byReason({ items }: BulkOutcome): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { runId, accepted, reason = "They were refused." } of items) {
    if (accepted) continue;
    const shared = reason.replaceAll(runId, "it");
    groups.set(shared, [...(groups.get(shared) ?? []), runId]);
  }
  return [...groups];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
