/** The part of a graph that can be drawn: all of it, or what is around one step. */
import type { PlanEdge, PlanGraph } from "./plan-graph.js";

/** More at once is neither read nor drawn in time. */
export const MOST_DRAWN = 200;
/** Around a step, fewer: what is far from it is not what is looked for. */
const MOST_AROUND = 80;

export interface Excerpt extends PlanGraph {
  /** The step that it is about; null = everything is here. */
  readonly focus: string | null;
  readonly hidden: number;
}

export function excerpt(graph: PlanGraph, focus: string | null): Excerpt {
  if (graph.nodes.length <= MOST_DRAWN) return { ...graph, focus: null, hidden: 0 };
  const from = graph.nodes.some(({ path }) => path === focus) ? focus! : graph.nodes[0]!.path;
  const near = around(graph, from);
  const nodes = graph.nodes.filter(({ path, inside }) => near.has(path) && (inside === null || near.has(inside)));
  const paths = new Set(nodes.map(({ path }) => path));
  const edges = graph.edges.filter((edge) => paths.has(edge.from) && paths.has(edge.to));
  return { nodes, edges, focus: from, hidden: graph.nodes.length - nodes.length };
}

/** Breadth first, both ways. */
function around({ nodes, edges }: PlanGraph, focus: string): ReadonlySet<string> {
  const next = neighbours(edges);
  const insideOf = new Map(nodes.map(({ path, inside }) => [path, inside]));
  const found = new Set([focus]);
  const queue = [focus];
  for (let path = queue.shift(); path !== undefined && found.size < MOST_AROUND; path = queue.shift()) {
    const frame = insideOf.get(path);
    for (const other of [...(next.get(path) ?? []), ...(frame === null || frame === undefined ? [] : [frame])]) {
      if (found.has(other) || found.size >= MOST_AROUND) continue;
      found.add(other);
      queue.push(other);
    }
  }
  return found;
}

function neighbours(edges: readonly PlanEdge[]): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>();
  const add = (one: string, other: string): void => {
    const known = next.get(one);
    if (known === undefined) next.set(one, [other]);
    else known.push(other);
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  return next;
}
