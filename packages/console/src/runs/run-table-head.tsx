import type { RunRow } from "./run-rows.js";
import { MAX_SELECTED, type Selection } from "./selection.js";

interface RunTableHeadProps {
  readonly rows: readonly RunRow[];
  readonly selection: Selection;
}

export function RunTableHead({ rows, selection: { runIds, set } }: RunTableHeadProps) {
  const first = rows.slice(0, MAX_SELECTED).map(({ run }) => run.runId);
  const isAll = runIds.size > 0 && first.every((runId) => runIds.has(runId));
  const choice = rows.length > MAX_SELECTED ? `Select the first ${MAX_SELECTED} runs` : "Select all runs";
  return (
    <div className="run-row head" role="row">
      <div role="columnheader" className="c-choose">
        <input
          type="checkbox"
          aria-label={choice}
          title={choice}
          checked={isAll}
          ref={(box) => {
            if (box !== null) box.indeterminate = runIds.size > 0 && !isAll;
          }}
          onChange={() => set(runIds.size > 0 ? [] : first)}
        />
      </div>
      {COLUMNS.map(({ className, label }) => (
        <div key={className} role="columnheader" className={className}>
          {label}
        </div>
      ))}
    </div>
  );
}

const COLUMNS = [
  { className: "c-status", label: "Status" },
  { className: "c-workflow", label: "Workflow" },
  { className: "c-trigger", label: "Trigger" },
  { className: "c-started", label: "Started" },
  { className: "c-duration", label: "Duration" },
  { className: "c-error", label: "Error or wait" },
  { className: "c-tenant", label: "Tenant" },
  { className: "c-id", label: "Run" },
];
