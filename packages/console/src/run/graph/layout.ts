/** Where the nodes are, in the order in which the work flows. */
import dagre from "@dagrejs/dagre";
import type { PlanGraph } from "./plan-graph.js";

const NODE_WIDTH = 172;
const NODE_HEIGHT = 40;
/** A frame says what it is above its steps. */
const FRAME_TITLE = 14;

export interface Placed {
  readonly path: string;
  /** Of its upper left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly placed: readonly Placed[];
  /** Of each edge, in their order: where it turns to pass by nodes; none = it goes from one column to the next. */
  readonly bends: readonly (readonly Point[])[];
}

/** What dagre writes into a node, and into an edge. */
type Box = Omit<Placed, "path">;
type Line = { readonly points: readonly Point[] };

/** From left to right where there is room, else from top to bottom. */
export type Direction = "LR" | "TB";

export function layout({ nodes, edges }: PlanGraph, direction: Direction): Layout {
  const graph = new dagre.graphlib.Graph({ compound: true });
  graph.setGraph({ rankdir: direction, nodesep: 14, ranksep: direction === "LR" ? 44 : 28, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { path, isFrame } of nodes) graph.setNode(path, isFrame ? {} : { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { path, inside } of nodes) if (inside !== null) graph.setParent(path, inside);
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const placed = nodes.map(({ path, isFrame }) => {
    const { x, y, width, height } = graph.node(path) as Box;
    const above = isFrame ? FRAME_TITLE : 0;
    return { path, x: x - width / 2, y: y - height / 2 - above, width, height: height + above };
  });
  return { placed, bends: edges.map(({ from, to }) => bendsOf(graph.edge(from, to) as Line)) };
}

/** Its ends are the nodes' own, and one point in the middle is no bend. */
function bendsOf({ points }: Line): readonly Point[] {
  return points.length <= 3 ? [] : points.slice(1, -1).map(({ x, y }) => ({ x, y }));
}
