import { useEffect, useRef, useState } from "react";
import type { Direction, Layout, Placed } from "./layout.js";
import type { LayoutResult, LayoutRequest } from "./layout-worker.js";
import type { PlanGraph } from "./plan-graph.js";

interface LaidOutGraph<G> {
  readonly graph: G;
  readonly placed: ReadonlyMap<string, Placed>;
  readonly bends: Layout["bends"];
}

/** Returns the last graph that was laid out, or `null`. `graph` must keep its identity while its content is the same. */
export function useLayout<G extends PlanGraph>(graph: G, direction: Direction): LaidOutGraph<G> | null {
  const worker = useRef<Worker | null>(null);
  const [laid, setLaid] = useState<LaidOutGraph<G> | null>(null);
  useEffect(() => {
    worker.current = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    return () => worker.current?.terminate();
  }, []);
  useEffect(() => {
    const own = worker.current!;
    const id = Math.random();
    own.onmessage = ({ data }: MessageEvent<LayoutResult>) => {
      if (data.id === id)
        setLaid({ graph, placed: new Map(data.placed.map((one) => [one.path, one])), bends: data.bends });
    };
    own.postMessage({ id, direction, graph: { nodes: graph.nodes, edges: graph.edges } } satisfies LayoutRequest);
  }, [graph, direction]);
  return laid;
}
