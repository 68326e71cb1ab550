import type { RunPlan } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { useState } from "react";
import { GraphView } from "../run/graph/graph-view.js";

/** The graph of the plan, without the state of a run. */
export function WorkflowGraph({ plan }: { readonly plan: RunPlan }) {
  const [selected, setSelected] = useState<string | null>(null);
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (path: string): void =>
    setOpen(open.includes(path) ? open.filter((one) => one !== path) : [...open, path]);
  return (
    <section className="panel workflow-graph" aria-label="Graph">
      <div className="panel-head">
        <h2>Graph</h2>
        <span className="quiet">version {plan.planVersion}; double-click a container to open it</span>
      </div>
      <div>
        <GraphView
          plan={plan as unknown as Plan}
          paths={NOTHING_STARTED}
          selected={selected}
          open={open}
          onSelect={setSelected}
          onToggle={toggle}
        />
      </div>
    </section>
  );
}

const NOTHING_STARTED = {};
