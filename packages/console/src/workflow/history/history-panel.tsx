/** The durations of the last runs and the outcomes of their steps. */
import type { RunPlan, WorkflowDetail } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { useMemo } from "react";
import { counted, duration } from "../../ui/format.js";
import { Empty } from "../../ui/states.js";
import { toGrid } from "./grid-model.js";
import { HistoryGrid } from "./history-grid.js";

export function HistoryPanel({ workflow: { history, plan } }: { readonly workflow: WorkflowDetail }) {
  const grid = useMemo(() => toGrid(history, stepsOf(plan)), [history, plan]);
  return (
    <section className="panel history" aria-label="History">
      <div className="panel-head">
        <h2>History</h2>
        <span className="quiet">
          {grid.runs.length === 0 ? "no runs" : `last ${counted(grid.runs.length, "run")}, oldest on the left`}
        </span>
        <span className="grow" />
        <Percentile name="p50" ms={grid.p50Ms} />
        <Percentile name="p95" ms={grid.p95Ms} />
      </div>
      {grid.runs.length === 0 ? (
        <Empty title="No runs yet">
          <p>Each run appears here as a column with its steps.</p>
        </Empty>
      ) : (
        <HistoryGrid grid={grid} />
      )}
    </section>
  );
}

function stepsOf(plan: RunPlan): readonly string[] {
  return (plan as unknown as Plan).body.steps.map(({ id }) => id);
}

function Percentile({ name, ms }: { readonly name: "p50" | "p95"; readonly ms: number | null }) {
  if (ms === null) return null;
  return (
    <span className={`percentile ${name}`} title={PERCENTILES[name]}>
      <span className="percentile-mark" aria-hidden="true" /> {name} <b>{duration(ms)}</b>
    </span>
  );
}

const PERCENTILES = {
  p50: "50% of completed runs took this long or less",
  p95: "95% of completed runs took this long or less",
} as const;
