import { useEffect, useRef, useState } from "react";
import type { Direction, Layout, Placed } from "./layout.js";
import type { LayoutAnswer, LayoutQuestion } from "./layout-worker.js";
import type { PlanGraph } from "./plan-graph.js";

interface Laid<G> {
  readonly graph: G;
  readonly placed: ReadonlyMap<string, Placed>;
  readonly bends: Layout["bends"];
}

/** The graph that was laid out last; null = none was yet. `graph` must be the same object as long as it says the same. */
export function useLayout<G extends PlanGraph>(graph: G, direction: Direction): Laid<G> | null {
  const worker = useRef<Worker | null>(null);
  const [laid, setLaid] = useState<Laid<G> | null>(null);
  useEffect(() => {
    worker.current = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    return () => worker.current?.terminate();
  }, []);
  useEffect(() => {
    const own = worker.current!;
    const id = Math.random();
    own.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.id === id)
        setLaid({ graph, placed: new Map(data.placed.map((one) => [one.path, one])), bends: data.bends });
    };
    own.postMessage({ id, direction, graph: { nodes: graph.nodes, edges: graph.edges } } satisfies LayoutQuestion);
  }, [graph, direction]);
  return laid;
}
