/** What can be done to the runs that were chosen. It lies below the rows, so that nothing moves when it comes. */
import { useState } from "react";
import { useRefusal } from "../../app/session.js";
import { counted } from "../../ui/format.js";
import type { RunRow } from "../run-rows.js";
import type { RunsSearch } from "../search.js";
import type { Selection } from "../selection.js";
import { BulkDialog, type BulkAction } from "./bulk-dialog.js";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly search: RunsSearch;
  readonly rows: readonly RunRow[];
  /** More runs fit than can be chosen one by one. */
  readonly hasMore: boolean;
}

export function SelectionBar({ selection, search, rows, hasMore }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const refusal = useRefusal("operator");
  const { runIds, isEverything, set, chooseEverything } = selection;
  if (runIds.size === 0) return null;
  const allowed = { disabled: refusal !== null, title: refusal ?? undefined };
  return (
    <div className="selection-bar" role="region" aria-label="Selected runs">
      <strong>{isEverything ? "Everything that fits the filter" : `${counted(runIds.size, "run")} selected`}</strong>
      {hasMore && !isEverything && (
        <button type="button" className="link" onClick={chooseEverything}>
          Select everything that fits the filter
        </button>
      )}
      <span className="grow" />
      <button type="button" className="button" {...allowed} onClick={() => setAction("retry")}>
        Retry…
      </button>
      <button type="button" className="button danger" {...allowed} onClick={() => setAction("cancel")}>
        Cancel…
      </button>
      <button type="button" className="button plain" data-key="esc" onClick={() => set([])}>
        Clear selection
      </button>
      {action !== null && (
        <BulkDialog
          action={action}
          target={isEverything ? { filter: search } : { runIds: [...runIds] }}
          nameOf={(runId) => rows.find(({ run }) => run.runId === runId)?.run.planId}
          onClose={() => setAction(null)}
          onDone={() => set([])}
        />
      )}
    </div>
  );
}
