/** An edge that is routed around the nodes between its ends. */
import { BaseEdge, getBezierPath, type Edge, type EdgeProps } from "@xyflow/react";
import type { Direction, Point } from "./layout.js";

interface RoutedEdgeData extends Record<string, unknown> {
  /** The bend points. Empty if no node is in the way. */
  readonly bends: readonly Point[];
  readonly direction: Direction;
}

export type RoutedEdge = Edge<RoutedEdgeData>;

export function RoutedEdge(props: EdgeProps<RoutedEdge>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const { bends, direction } = data!;
  if (bends.length === 0) return <BaseEdge path={getBezierPath(props)[0]} interactionWidth={0} />;
  const points = [{ x: sourceX, y: sourceY }, ...bends, { x: targetX, y: targetY }];
  return <BaseEdge path={pathThrough(points, direction)} interactionWidth={0} />;
}

/** Curves from point to point, parallel to the direction of the graph at each of them. */
function pathThrough(points: readonly Point[], direction: Direction): string {
  const [first, ...others] = points;
  const curves = others.map(({ x, y }, index) => {
    const before = points[index]!;
    const middle = { x: (before.x + x) / 2, y: (before.y + y) / 2 };
    return direction === "LR"
      ? `C${middle.x} ${before.y} ${middle.x} ${y} ${x} ${y}`
      : `C${before.x} ${middle.y} ${x} ${middle.y} ${x} ${y}`;
  });
  return `M${first!.x} ${first!.y}${curves.join("")}`;
}
