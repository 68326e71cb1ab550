/** The graph of a run: the same selection and the same moment as its other views. */
import { pathOf } from "@runledger/core";
import { usePlan } from "../../api/use-plan.js";
import { Empty, Loading } from "../../ui/states.js";
import type { RunView } from "../model/view.js";
import { listOf, type RunSearch, type RunSearchChange } from "../search.js";
import { GraphView } from "./graph-view.js";

interface RunGraphProps {
  readonly runId: string;
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

export function RunGraph({ runId, view, search, onChange }: RunGraphProps) {
  const known = usePlan(runId);
  if (known === undefined) return <Loading label="Reading the plan" />;
  if (known === null)
    return (
      <Empty title="There is no plan to draw">
        <p>This run was recorded without one. Its steps are in the timeline.</p>
      </Empty>
    );
  const open = listOf(search.frames);
  return (
    <GraphView
      plan={known.plan}
      paths={view.paths}
      selected={search.step === undefined ? null : pathOf(search.step)}
      open={open}
      onSelect={(path) => onChange({ step: view.paths[path]?.example ?? path, event: undefined })}
      onToggle={(path) =>
        onChange({ frames: (open.includes(path) ? open.filter((one) => one !== path) : [...open, path]).join(",") })
      }
    />
  );
}
