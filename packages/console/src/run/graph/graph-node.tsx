import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { count } from "../../ui/format.js";
import { Glyph } from "../../ui/glyph.js";
import type { PathView } from "../model/view.js";
import type { PlanNode } from "./plan-graph.js";

export interface GraphNodeData extends Record<string, unknown> {
  readonly node: PlanNode;
  /** Null = nothing of it has begun. */
  readonly view: PathView | null;
  readonly onToggle: () => void;
}

type StepNode = Node<GraphNodeData>;

/** As few elements as can be: there may be hundreds of them. */
export const GraphNode = memo(function GraphNode({
  data: { node, view, onToggle },
  sourcePosition = Position.Right,
  targetPosition = Position.Left,
}: NodeProps<StepNode>) {
  return (
    <>
      <Handle type="target" position={targetPosition} />
      <div
        className="graph-node"
        data-path={node.path}
        data-status={view?.status ?? "NOT_STARTED"}
        onDoubleClick={onToggle}
      >
        <span className="cut">{node.label}</span>
        <small>{noteOf(node, view)}</small>
        {node.isContainer && <Twist node={node} onToggle={onToggle} />}
      </div>
      <Handle type="source" position={sourcePosition} />
    </>
  );
});

export const GraphFrame = memo(function GraphFrame({ data: { node, view, onToggle } }: NodeProps<StepNode>) {
  return (
    <div
      className="graph-frame"
      data-path={node.path}
      data-status={view?.status ?? "NOT_STARTED"}
      onDoubleClick={onToggle}
    >
      {node.label} <small>{noteOf(node, view)}</small>
      <Twist node={node} onToggle={onToggle} />
    </div>
  );
});

function Twist({ node, onToggle }: Pick<GraphNodeData, "node" | "onToggle">) {
  return (
    <button
      type="button"
      className="graph-twist nodrag"
      aria-label={`${node.isFrame ? "Close" : "Open"} ${node.path}`}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <Glyph name={node.isFrame ? "minus" : "plus"} size={12} />
    </button>
  );
}

function noteOf({ kind, isContainer }: PlanNode, view: PathView | null): string {
  const word = kind === "function" ? "" : kind;
  if (view === null) return word;
  const { done, failed, running, waiting, skipped } = view.tally;
  const total = done + failed + running + waiting + skipped;
  if (total <= 1 && !isContainer) return word;
  const parts = [total > 1 ? `${count(done)} of ${count(total)}` : null, failed > 0 ? `${count(failed)} failed` : null];
  return [word, ...parts].filter((part) => part !== null && part !== "").join(" · ");
}
