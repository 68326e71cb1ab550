import dagre from "@dagrejs/dagre";
import type { PlanGraph } from "./plan-graph.js";

const NODE_WIDTH = 172;
const NODE_HEIGHT = 40;
/** Height of the title of a frame. */
const FRAME_TITLE = 14;

export interface Placed {
  readonly path: string;
  /** The upper left corner. */
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
  /** The bend points of each edge, in the order of edges. Empty for an edge between neighboring ranks. */
  readonly bends: readonly (readonly Point[])[];
}

/** The fields that dagre adds to nodes and edges. */
type Box = Omit<Placed, "path">;
type Line = { readonly points: readonly Point[] };

/** Left to right, or top to bottom on phones. */
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

/** Drops both ends, which belong to the nodes. A single point in the middle is not a bend. */
function bendsOf({ points }: Line): readonly Point[] {
  return points.length <= 3 ? [] : points.slice(1, -1).map(({ x, y }) => ({ x, y }));
}
