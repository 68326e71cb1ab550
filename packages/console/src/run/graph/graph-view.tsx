/** The plan as a graph, colored by the status of its steps. */
import type { Plan } from "@runledger/contracts";
import { Controls, Position, ReactFlow, type Node, type ReactFlowInstance } from "@xyflow/react";
import { useMemo, type KeyboardEvent } from "react";
import { useIsPhone } from "../../ui/breakpoints.js";
import { count } from "../../ui/format.js";
import { Loading } from "../../ui/states.js";
import type { InnerView, PathView } from "../model/view.js";
import { FitOnResize } from "./fit-on-resize.js";
import { excerpt, type Excerpt } from "./excerpt.js";
import { GraphFrame, GraphNode, type GraphNodeData } from "./graph-node.js";
import { planGraph, type InnerGraphs } from "./plan-graph.js";
import type { Direction, Layout, Placed } from "./layout.js";
import { RoutedEdge } from "./routed-edge.js";
import { useLayout } from "./use-layout.js";

interface GraphViewProps {
  readonly plan: Plan;
  readonly paths: Readonly<Record<string, PathView | InnerView>>;
  /** Must keep its identity while it is unchanged. */
  readonly inner?: InnerGraphs;
  /** The path of the selected step. */
  readonly selected: string | null;
  readonly open: readonly string[];
  readonly onSelect: (path: string) => void;
  readonly onToggle: (path: string) => void;
}

const FITTED = { minZoom: 0.4, maxZoom: 1.1, padding: 0.08 };

const nodeTypes = { step: GraphNode, frame: GraphFrame };
const edgeTypes = { routed: RoutedEdge };

export function GraphView({ plan, paths, inner, selected, open, onSelect, onToggle }: GraphViewProps) {
  const openKey = open.join(",");
  const whole = useMemo(() => planGraph(plan, new Set(openKey.split(",")), inner), [plan, openKey, inner]);
  const isLarge = whole.nodes.length > 200;
  const shown = useMemo(() => excerpt(whole, selected), [whole, isLarge ? selected : null]);
  const direction = useIsPhone() ? "TB" : "LR"; // a phone has more room downwards than sideways
  const laid = useLayout(shown, direction);
  if (laid === null) return <Loading label="Laying out graph" />;
  return (
    <div className="graph" data-nodes={laid.graph.nodes.length} onKeyDown={(event) => selectByKey(event, onSelect)}>
      {laid.graph.hidden > 0 && (
        <p className="graph-note" role="status">
          Showing {count(laid.graph.nodes.length)} steps around <b>{laid.graph.focus}</b>; {count(laid.graph.hidden)}{" "}
          more are hidden. Select a step to see the steps around it.
        </p>
      )}
      <ReactFlow
        key={`${laid.graph.focus ?? "whole"} ${laid.graph.nodes.length}`}
        nodes={toNodes(laid.graph, laid.placed, { paths, selected, direction, onToggle })}
        edges={toEdges(laid.graph, laid.bends, { paths, direction })}
        edgeTypes={edgeTypes}
        nodeTypes={nodeTypes}
        fitView={laid.graph.focus === null}
        fitViewOptions={FITTED}
        onInit={(flow) => void center(flow, laid.placed.get(laid.graph.focus ?? ""))}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { id }) => onSelect(id)}
      >
        <Controls showInteractive={false} />
        {laid.graph.focus === null && <FitOnResize options={FITTED} />}
      </ReactFlow>
    </div>
  );
}

/** The library selects a focused node with these keys, but reports no click. */
function selectByKey({ key, target }: KeyboardEvent, onSelect: GraphViewProps["onSelect"]): void {
  const isNode = target instanceof HTMLElement && target.matches(".react-flow__node");
  if (isNode && (key === "Enter" || key === " ")) onSelect(target.dataset["id"]!);
}

/** Centers an excerpt of a large graph on its step, at a readable zoom. */
async function center(
  flow: ReactFlowInstance<Node<GraphNodeData>, RoutedEdge>,
  focus: Placed | undefined,
): Promise<void> {
  if (focus !== undefined)
    await flow.setCenter(focus.x + focus.width / 2, focus.y + focus.height / 2, { zoom: 0.8, duration: 0 });
}

interface Shown {
  readonly direction: Direction;
  readonly paths: GraphViewProps["paths"];
  readonly selected: string | null;
  readonly onToggle: (path: string) => void;
}

function toNodes(
  graph: Excerpt,
  placed: ReadonlyMap<string, Placed>,
  { paths, selected, direction, onToggle }: Shown,
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
      ...(direction === "TB" && { sourcePosition: Position.Bottom, targetPosition: Position.Top }),
      selected: path === selected,
      ariaLabel: `${path}, ${paths[path]?.status.toLowerCase().replace("_", " ") ?? "not started"}`,
      data: { node, view: paths[path] ?? null, onToggle: () => onToggle(path) },
    };
  });
}

function toEdges(
  { edges }: Excerpt,
  bends: Layout["bends"],
  { paths, direction }: Pick<Shown, "paths" | "direction">,
): RoutedEdge[] {
  return edges.map(({ from, to }, index) => ({
    id: `${from} ${to}`,
    type: "routed",
    source: from,
    target: to,
    data: { bends: bends[index] ?? [], direction },
    className: paths[to] === undefined ? "ahead" : "",
  }));
}
