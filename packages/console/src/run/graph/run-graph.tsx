/** The graph of a run. It shares the selection and the position in time with the other views. */
import { pathOf } from "@runledger/core";
import { useRef } from "react";
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
  const paths = useSame(view.paths); // a view arrives every second, and most leave the graph as it is
  if (known === undefined) return <Loading label="Loading plan" />;
  if (known === null)
    return (
      <Empty title="No plan available">
        <p>This run was recorded without a plan. The timeline shows its steps.</p>
      </Empty>
    );
  const open = listOf(search.frames);
  return (
    <GraphView
      plan={known.plan}
      paths={paths}
      selected={search.step === undefined ? null : pathOf(search.step)}
      open={open}
      onSelect={(path) => onChange({ step: view.paths[path]?.example ?? path, event: undefined })}
      onToggle={(path) =>
        onChange({ frames: (open.includes(path) ? open.filter((one) => one !== path) : [...open, path]).join(",") })
      }
    />
  );
}

/** Returns the first of equal values, so that components which depend on its identity are not rendered again. */
function useSame<T>(value: T): T {
  const known = useRef({ value, text: JSON.stringify(value) });
  const text = JSON.stringify(value);
  if (text !== known.current.text) known.current = { value, text };
  return known.current.value;
}
