/** Layouts take their time; the screen does not wait. */
import { layout, type Direction, type Placed } from "./layout.js";
import type { PlanGraph } from "./plan-graph.js";

export interface LayoutAnswer {
  readonly id: number;
  readonly placed: readonly Placed[];
}

export interface LayoutQuestion {
  readonly id: number;
  readonly graph: PlanGraph;
  readonly direction: Direction;
}

self.onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  self.postMessage({ id: data.id, placed: layout(data.graph, data.direction) } satisfies LayoutAnswer);
};
