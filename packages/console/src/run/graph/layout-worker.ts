/** Computes layouts in a worker, so that a large graph does not block the page. */
import { layout, type Direction, type Layout } from "./layout.js";
import type { PlanGraph } from "./plan-graph.js";

export interface LayoutResult extends Layout {
  readonly id: number;
}

export interface LayoutRequest {
  readonly id: number;
  readonly graph: PlanGraph;
  readonly direction: Direction;
}

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage({ id: data.id, ...layout(data.graph, data.direction) } satisfies LayoutResult);
};
