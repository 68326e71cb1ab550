/** Layouts take their time; the screen does not wait. */
import { layout, type Direction, type Layout } from "./layout.js";
import type { PlanGraph } from "./plan-graph.js";

export interface LayoutAnswer extends Layout {
  readonly id: number;
}

export interface LayoutQuestion {
  readonly id: number;
  readonly graph: PlanGraph;
  readonly direction: Direction;
}

self.onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  self.postMessage({ id: data.id, ...layout(data.graph, data.direction) } satisfies LayoutAnswer);
};
