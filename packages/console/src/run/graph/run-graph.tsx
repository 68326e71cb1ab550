/** The graph of a run. It shares the selection and the position in time with the other views. */
import { pathOf } from "@runledger/core";
import { useRef } from "react";
import { usePlan } from "../../api/use-plan.js";
import { Empty, Loading } from "../../ui/states.js";
import type { InnerView, PathView, RunView } from "../model/view.js";
import { listOf, NO_FRAMES, type RunSearch, type RunSearchChange } from "../search.js";
import { GraphView } from "./graph-view.js";
import type { InnerGraphs } from "./plan-graph.js";

interface RunGraphProps {
  readonly runId: string;
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

export function RunGraph({ runId, view, search, onChange }: RunGraphProps) {
  const known = usePlan(runId);
  const paths = useSame(pathsOf(view)); // a view arrives every second, and most leave the graph as it is
  const inner = useSame(innerGraphs(view));
  if (known === undefined) return <Loading label="Loading plan" />;
  if (known === null)
    return (
      <Empty title="No plan available">
        <p>This run was recorded without a plan. The timeline shows its steps.</p>
      </Empty>
    );
  const open = search.frames === undefined ? Object.keys(inner).filter((path) => inner[path]) : listOf(search.frames);
  const toggle = (path: string): void => {
    const frames = open.includes(path) ? open.filter((one) => one !== path) : [...open, path];
    onChange({ frames: frames.length === 0 ? NO_FRAMES : frames.join(",") });
  };
  return (
    <GraphView
      plan={known.plan}
      paths={paths}
      inner={inner}
      selected={selectedIn(paths, search.step)}
      open={open}
      onSelect={(path) => onChange({ step: paths[path]?.example ?? path, event: undefined })}
      onToggle={toggle}
    />
  );
}

/** Inner steps are drawn inside the step that `example` names, with their ids as paths. */
function pathsOf({ paths, inner }: RunView): Readonly<Record<string, PathView | InnerView>> {
  const steps = Object.values(inner).flat();
  return { ...paths, ...Object.fromEntries(steps.map((step) => [step.stepId, step])) };
}

function innerGraphs({ paths, inner, containers }: RunView): InnerGraphs {
  const shown = containers.filter((stepId) => paths[pathOf(stepId)]?.example === stepId);
  return Object.fromEntries(shown.map((stepId) => [pathOf(stepId), inner[stepId] ?? null]));
}

function selectedIn(paths: Readonly<Record<string, unknown>>, step: string | undefined): string | null {
  if (step === undefined) return null;
  return paths[step] === undefined ? pathOf(step) : step;
}

/** Returns the first of equal values, so that components which depend on its identity are not rendered again. */
function useSame<T>(value: T): T {
  const known = useRef({ value, text: JSON.stringify(value) });
  const text = JSON.stringify(value);
  if (text !== known.current.text) known.current = { value, text };
  return known.current.value;
}
