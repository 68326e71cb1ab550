import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { count, duration } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import type { InnerView, PathView } from "../model/view.js";
import type { PlanNode } from "./plan-graph.js";

export interface GraphNodeData extends Record<string, unknown> {
  readonly node: PlanNode;
  /** `null` if the step has not started. */
  readonly view: PathView | InnerView | null;
  readonly onToggle: () => void;
}

type StepNode = Node<GraphNodeData>;

/** Uses few elements, because a graph may have hundreds of nodes. */
export const GraphNode = memo(function GraphNode({
  data: { node, view, onToggle },
  sourcePosition = Position.Right,
  targetPosition = Position.Left,
}: NodeProps<StepNode>) {
  return (
    <>
      <Handle type="target" position={targetPosition} />
      <div className="graph-node" data-path={node.path} data-status={statusOf(view)} onDoubleClick={onToggle}>
        <span className="cut" title={node.label}>
          {node.label}
        </span>
        <small>{noteOf(node, view)}</small>
        {node.isContainer && <ToggleButton node={node} onToggle={onToggle} />}
      </div>
      <Handle type="source" position={sourcePosition} />
    </>
  );
});

export const GraphFrame = memo(function GraphFrame({ data: { node, view, onToggle } }: NodeProps<StepNode>) {
  return (
    <div className="graph-frame" data-path={node.path} data-status={statusOf(view)} onDoubleClick={onToggle}>
      {node.label} <small>{noteOf(node, view)}</small>
      <ToggleButton node={node} onToggle={onToggle} />
    </div>
  );
});

function ToggleButton({ node, onToggle }: Pick<GraphNodeData, "node" | "onToggle">) {
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
      <Icon name={node.isFrame ? "minus" : "plus"} size={12} />
    </button>
  );
}

/** A container that succeeded although steps inside it failed has its own look. */
function statusOf(view: GraphNodeData["view"]): string {
  if (view?.status === "SUCCESS" && view.failedInside > 0) return "PARTLY_FAILED";
  return view?.status ?? "NOT_STARTED";
}

function noteOf({ kind, isContainer }: PlanNode, view: GraphNodeData["view"]): string {
  const word = kind === "function" ? "" : kind;
  if (view === null) return word;
  if ("durationMs" in view) return view.durationMs === null ? word : `${word} · ${duration(view.durationMs)}`;
  const { done, failed, running, waiting, skipped } = view.tally;
  const total = done + failed + running + waiting + skipped;
  if (total <= 1 && !isContainer) return word;
  const failures = isContainer ? view.failedInside : failed;
  const parts = [
    total > 1 ? `${count(done)} of ${count(total)}` : null,
    failures > 0 ? `${count(failures)} failed` : null,
  ];
  return [word, ...parts].filter((part) => part !== null && part !== "").join(" · ");
}
