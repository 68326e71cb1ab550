import type { PlanProblem } from "@runledger/contracts";
import { problem } from "./check-ids.js";
import type { StepRef } from "./definition.js";
import type { LocatedStep } from "./located-step.js";

/**
 * Steps that wait for each other. Cycles are looked for among the steps of one body: a step of a container that names
 * one outside makes the container wait for it.
 */
export function* findCycles(steps: readonly LocatedStep[]): Generator<PlanProblem> {
  const graph = waitsFor(steps);
  const done = new Set<string>();
  for (const located of steps) {
    const cycle = walk(located.path, graph, done, []);
    if (cycle === null) continue;
    const [first] = cycle;
    const message = `waits for itself: ${[...cycle, first].join(" → ")}. Remove one of these.`;
    yield problem(
      steps.find(({ path }) => path === first)!,
      "PLAN_CYCLE",
      message,
    );
  }
}

/** Each step and what it waits for, lifted to the body that both share. */
function waitsFor(steps: readonly LocatedStep[]): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, string[]>(steps.map(({ path }) => [path, []]));
  for (const { step, path } of steps) {
    const refs: readonly StepRef[] = [...Object.values(step.needs ?? {}), ...(step.after ?? [])];
    for (const ref of refs) if (typeof ref === "string" && graph.has(ref)) graph.get(sibling(path, ref))?.push(ref);
  }
  return graph;
}

/** Who in the body of `ref` contains `path`, or is it. */
function sibling(path: string, ref: string): string {
  return path.split("/").slice(0, ref.split("/").length).join("/");
}

function walk(
  path: string,
  graph: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
  open: readonly string[],
): readonly string[] | null {
  if (open.includes(path)) return open.slice(open.indexOf(path));
  if (done.has(path)) return null;
  for (const next of graph.get(path)!) {
    if (next === path) continue; // a container around the step: reported as such
    const cycle = walk(next, graph, done, [...open, path]);
    if (cycle !== null) return cycle;
  }
  done.add(path);
  return null;
}
