import type { PlanProblem } from "@runledger/contracts";
import type { LocatedStep } from "./located-step.js";
import { originOf, problem } from "./problems.js";
import { referencesOf } from "./references.js";

/** `from` waits for `to` because of the reference at `at`. */
interface Edge {
  readonly from: LocatedStep;
  readonly to: LocatedStep;
  readonly at: string;
}

/**
 * Reports steps that wait for each other. Searches the steps of one body: a step in a container that refers to a step
 * outside makes the container wait for it.
 */
export function* findCycles(steps: readonly LocatedStep[]): Generator<PlanProblem> {
  for (const cycle of cyclesOf(waitsFor(steps))) {
    const around = [...cycle, cycle[0]!].map(({ from }) => from.path).join(" → ");
    const message = `waits for itself: ${around}. Remove one of: ${cycle.map(({ at }) => at).join(", ")}.`;
    yield problem(cycle[0]!.from, "PLAN_CYCLE", message);
  }
}

type Graph = ReadonlyMap<LocatedStep, readonly Edge[]>;

/** Maps each step to the steps it waits for, lifted to the body that both share. */
function waitsFor(steps: readonly LocatedStep[]): Graph {
  const byPath = new Map(steps.map((located) => [located.path, located]));
  const graph = new Map<LocatedStep, Edge[]>([...byPath.values()].map((located) => [located, []]));
  for (const located of byPath.values()) {
    for (const { at, to } of referencesOf(located.step)) {
      const target = typeof to === "string" ? byPath.get(to) : undefined;
      if (target === undefined || isAround(target, located)) continue; // reported by checkReferences
      const from = byPath.get(sibling(located.path, target.path))!;
      graph.get(from)!.push({ from, to: target, at: written(located, at) });
    }
  }
  return graph;
}

function isAround(container: LocatedStep, { path }: LocatedStep): boolean {
  return path.startsWith(`${container.path}/`);
}

/** Returns the step in the body of `target` that contains `path` or is at `path`. */
function sibling(path: string, target: string): string {
  return path.split("/").slice(0, target.split("/").length).join("/");
}

function written({ step, path }: LocatedStep, at: string): string {
  const origin = originOf(step, at);
  return origin === undefined ? `${path}.${at}` : `${path}.${at} (${origin})`;
}

/** Depth-first search with its own stack, because a plan may be a chain of any length. */
function* cyclesOf(graph: Graph): Generator<readonly Edge[]> {
  const done = new Set<LocatedStep>();
  for (const start of graph.keys()) {
    const trail: { readonly at: LocatedStep; readonly edges: Iterator<Edge>; via?: Edge }[] = [];
    const open = new Map<LocatedStep, number>();
    const enter = (at: LocatedStep): void => {
      open.set(at, trail.length);
      trail.push({ at, edges: graph.get(at)!.values() });
    };
    if (!done.has(start)) enter(start);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const next = top.edges.next();
      if (next.done === true) {
        done.add(top.at);
        open.delete(top.at);
        trail.pop();
        continue;
      }
      top.via = next.value;
      const { to } = next.value;
      const begin = open.get(to);
      if (begin !== undefined) yield trail.slice(begin).map(({ via }) => via!);
      else if (!done.has(to)) enter(to);
    }
  }
}
