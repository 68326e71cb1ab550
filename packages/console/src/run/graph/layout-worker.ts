/** Layouts take their time; the screen does not wait. */
import { layout, type Placed } from "./layout.js";
import type { PlanGraph } from "./plan-graph.js";

export interface LayoutAnswer {
  readonly id: number;
  readonly placed: readonly Placed[];
}

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly graph: PlanGraph }>) => {
  self.postMessage({ id: data.id, placed: layout(data.graph) } satisfies LayoutAnswer);
};
