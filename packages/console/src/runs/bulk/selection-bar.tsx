/** Bulk actions for the selected runs. The bar is below the rows, so that no row moves when it appears. */
import type { RunListQuery } from "@runledger/client";
import { useState } from "react";
import { useRefusal } from "../../api/session.js";
import { Button } from "../../ui/button.js";
import { counted } from "../../ui/format.js";
import type { RunRow } from "../run-rows.js";
import type { Selection } from "../selection.js";
import { BulkDialog, type BulkAction } from "./bulk-dialog.js";

interface SelectionBarProps {
  readonly selection: Selection;
  /** The filter of the list. */
  readonly query: RunListQuery;
  readonly rows: readonly RunRow[];
  /** More runs match than can be selected individually. */
  readonly hasMore: boolean;
}

export function SelectionBar({ selection, query, rows, hasMore }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const refusal = useRefusal("operator");
  const { runIds, isEverything, set, selectEverything } = selection;
  if (runIds.size === 0) return null;
  const allowed = { disabled: refusal !== null, title: refusal ?? undefined };
  return (
    <div className="selection-bar" role="region" aria-label="Selected runs">
      <strong>{isEverything ? "All runs that match the filter" : `${counted(runIds.size, "run")} selected`}</strong>
      {hasMore && !isEverything && (
        <Button variant="link" onClick={selectEverything}>
          Select all runs that match the filter
        </Button>
      )}
      <span className="grow" />
      <Button {...allowed} onClick={() => setAction("retry")}>
        Retry…
      </Button>
      <Button variant="danger" {...allowed} onClick={() => setAction("cancel")}>
        Cancel…
      </Button>
      <Button variant="plain" data-key="esc" onClick={() => set([])}>
        Clear selection
      </Button>
      {action !== null && (
        <BulkDialog
          action={action}
          target={isEverything ? { filter: query } : { runIds: [...runIds] }}
          nameOf={(runId) => rows.find(({ run }) => run.runId === runId)?.run.planId}
          onClose={() => setAction(null)}
          onDone={() => set([])}
        />
      )}
    </div>
  );
}
