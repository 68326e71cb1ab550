/** Selects the part of a graph to draw: all of it, or the steps around one step. */
import type { PlanEdge, PlanGraph } from "./plan-graph.js";

/** Larger graphs are slow to draw and hard to read. */
export const MAX_NODES = 200;
/** The size of an excerpt. */
const MAX_EXCERPT = 80;

export interface Excerpt extends PlanGraph {
  /** The step in the center. `null` if the excerpt is the whole graph. */
  readonly focus: string | null;
  readonly hidden: number;
}

export function excerpt(graph: PlanGraph, focus: string | null): Excerpt {
  if (graph.nodes.length <= MAX_NODES) return { ...graph, focus: null, hidden: 0 };
  const from = graph.nodes.some(({ path }) => path === focus) ? focus! : graph.nodes[0]!.path;
  const near = around(graph, from);
  const nodes = graph.nodes.filter(({ path, inside }) => near.has(path) && (inside === null || near.has(inside)));
  const paths = new Set(nodes.map(({ path }) => path));
  const edges = graph.edges.filter((edge) => paths.has(edge.from) && paths.has(edge.to));
  return { nodes, edges, focus: from, hidden: graph.nodes.length - nodes.length };
}

/** Breadth-first search along edges in both directions. An open frame in the center shows its nodes. */
function around({ nodes, edges }: PlanGraph, focus: string): ReadonlySet<string> {
  const next = neighbors(edges);
  const insideOf = new Map(nodes.map(({ path, inside }) => [path, inside]));
  const inFocus = nodes.filter(({ inside }) => inside === focus).map(({ path }) => path);
  const found = new Set([focus]);
  const queue = [focus];
  for (let path = queue.shift(); path !== undefined && found.size < MAX_EXCERPT; path = queue.shift()) {
    const frame = insideOf.get(path);
    const beside = [...(next.get(path) ?? []), ...(path === focus ? inFocus : [])];
    for (const other of [...beside, ...(frame === null || frame === undefined ? [] : [frame])]) {
      if (found.has(other) || found.size >= MAX_EXCERPT) continue;
      found.add(other);
      queue.push(other);
    }
  }
  return found;
}

function neighbors(edges: readonly PlanEdge[]): ReadonlyMap<string, readonly string[]> {
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
