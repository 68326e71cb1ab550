/** The plan as a graph, coloured by what has become of its steps. */
import type { Plan } from "@runledger/contracts";
import { ReactFlow, Controls, type Edge, type Node } from "@xyflow/react";
import { useMemo } from "react";
import { count } from "../../ui/format.js";
import { Loading } from "../../ui/states.js";
import type { PathView } from "../model/view.js";
import { excerpt, type Excerpt } from "./neighbourhood.js";
import { GraphFrame, GraphNode, type GraphNodeData } from "./graph-node.js";
import { planGraph } from "./plan-graph.js";
import type { Placed } from "./layout.js";
import { useLayout } from "./use-layout.js";

interface GraphViewProps {
  readonly plan: Plan;
  readonly paths: Readonly<Record<string, PathView>>;
  /** The selected step's path. */
  readonly selected: string | null;
  readonly open: readonly string[];
  readonly onSelect: (path: string) => void;
  readonly onToggle: (path: string) => void;
}

const nodeTypes = { step: GraphNode, frame: GraphFrame };

export function GraphView({ plan, paths, selected, open, onSelect, onToggle }: GraphViewProps) {
  const openKey = open.join(",");
  const whole = useMemo(() => planGraph(plan, new Set(openKey.split(","))), [plan, openKey]);
  const isLarge = whole.nodes.length > 200;
  const shown = useMemo(() => excerpt(whole, selected), [whole, isLarge ? selected : null]);
  const laid = useLayout(shown);
  if (laid === null) return <Loading label="Laying the graph out" />;
  return (
    <div className="graph" data-nodes={laid.graph.nodes.length}>
      {laid.graph.hidden > 0 && (
        <p className="graph-note" role="status">
          {count(laid.graph.nodes.length)} steps around <b>{laid.graph.focus}</b>, {count(laid.graph.hidden)} more are
          further away. Select a step to see what is around it.
        </p>
      )}
      <ReactFlow
        key={laid.graph.focus ?? "whole"}
        nodes={toNodes(laid.graph, laid.placed, { paths, selected, onToggle })}
        edges={toEdges(laid.graph, paths)}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1.1, padding: 0.08 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { id }) => onSelect(id)}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

interface Shown {
  readonly paths: GraphViewProps["paths"];
  readonly selected: string | null;
  readonly onToggle: (path: string) => void;
}

function toNodes(
  graph: Excerpt,
  placed: ReadonlyMap<string, Placed>,
  { paths, selected, onToggle }: Shown,
): Node<GraphNodeData>[] {
  return graph.nodes.map((node) => {
    const { path, isFrame, inside } = node;
    const { x, y, width, height } = placed.get(path)!;
    const frame = inside === null ? undefined : placed.get(inside);
    return {
      id: path,
      type: isFrame ? "frame" : "step",
      position: { x: x - (frame?.x ?? 0), y: y - (frame?.y ?? 0) },
      ...(inside !== null && { parentId: inside }),
      width,
      height,
      selected: path === selected,
      ariaLabel: `${path}, ${paths[path]?.status.toLowerCase().replace("_", " ") ?? "not started"}`,
      data: { node, view: paths[path] ?? null, onToggle: () => onToggle(path) },
    };
  });
}

function toEdges({ edges }: Excerpt, paths: GraphViewProps["paths"]): Edge[] {
  return edges.map(({ from, to }) => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    className: paths[to] === undefined ? "ahead" : "",
    interactionWidth: 0,
  }));
}
