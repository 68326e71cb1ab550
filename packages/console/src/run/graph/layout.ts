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

/** What dagre writes into a node. */
type Box = Omit<Placed, "path">;

/** From left to right where there is room, else from top to bottom. */
export type Direction = "LR" | "TB";

export function layout({ nodes, edges }: PlanGraph, direction: Direction): readonly Placed[] {
  const graph = new dagre.graphlib.Graph({ compound: true });
  graph.setGraph({ rankdir: direction, nodesep: 14, ranksep: direction === "LR" ? 44 : 28, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { path, isFrame } of nodes) graph.setNode(path, isFrame ? {} : { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { path, inside } of nodes) if (inside !== null) graph.setParent(path, inside);
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  return nodes.map(({ path, isFrame }) => {
    const { x, y, width, height } = graph.node(path) as Box;
    const above = isFrame ? FRAME_TITLE : 0;
    return { path, x: x - width / 2, y: y - height / 2 - above, width, height: height + above };
  });
}
