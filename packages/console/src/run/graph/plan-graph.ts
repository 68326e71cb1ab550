/** Converts a plan to nodes and edges. A closed container is one node; an open one is a frame around its steps. */
import type { Plan, PlanBody, PlanStep } from "@runledger/contracts";
import type { InnerView } from "../model/view.js";

export interface PlanNode {
  /** The path of the step in the plan. */
  readonly path: string;
  readonly label: string;
  readonly kind: string;
  /** The open container around the step. */
  readonly inside: string | null;
  /** An open container, drawn as a frame around its steps. */
  readonly isFrame: boolean;
  readonly isContainer: boolean;
}

export interface PlanEdge {
  readonly from: string;
  readonly to: string;
}

export interface PlanGraph {
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly PlanEdge[];
}

/** Steps with inner steps by path. The inner steps are `null` while they are not shown. */
export type InnerGraphs = Readonly<Record<string, readonly InnerView[] | null>>;

export function planGraph(plan: Plan, open: ReadonlySet<string>, inner: InnerGraphs = {}): PlanGraph {
  const nodes: PlanNode[] = [];
  const edges: PlanEdge[] = [];
  addBody(plan.body, { prefix: "", inside: null, open, inner, nodes, edges });
  return { nodes, edges: withoutFrames(nodes, edges) };
}

interface GraphBuilder {
  readonly prefix: string;
  readonly inside: string | null;
  readonly open: ReadonlySet<string>;
  readonly inner: InnerGraphs;
  readonly nodes: PlanNode[];
  readonly edges: PlanEdge[];
}

function addBody(body: PlanBody, builder: GraphBuilder): void {
  for (const step of body.steps) {
    const path = builder.prefix + step.id;
    const inner = builder.inner[path];
    const isContainer = step.bodies !== undefined || inner !== undefined;
    const isFrame = isContainer && builder.open.has(path) && inner !== null;
    builder.nodes.push({ path, label: step.id, kind: step.kind, inside: builder.inside, isFrame, isContainer });
    for (const from of before(step)) builder.edges.push({ from, to: path });
    if (!isFrame) continue;
    if (step.bodies === undefined) addInner(inner ?? [], path, builder);
    for (const each of step.bodies ?? []) addBody(each, { ...builder, prefix: `${path}/`, inside: path });
  }
}

/** An inner step has no path in the plan. Its id takes the place of one. */
function addInner(steps: readonly InnerView[], inside: string, { nodes, edges }: GraphBuilder): void {
  for (const { stepId, label, kind, after } of steps) {
    nodes.push({ path: stepId, label, kind, inside, isFrame: false, isContainer: false });
    for (const from of after) edges.push({ from, to: stepId });
  }
}

function before({ needs, after }: PlanStep): readonly string[] {
  return [...new Set([...Object.values(needs), ...after])];
}

/** Reconnects edges of open containers: edges into one lead to its first steps, edges out of it start at its last. */
function withoutFrames(nodes: readonly PlanNode[], edges: readonly PlanEdge[]): readonly PlanEdge[] {
  const frames = new Set(nodes.filter(({ isFrame }) => isFrame).map(({ path }) => path));
  if (frames.size === 0) return known(nodes, edges);
  const inner = (frame: string) => nodes.filter(({ inside }) => inside === frame).map(({ path }) => path);
  const ends = (path: string, side: "from" | "to"): readonly string[] => {
    if (!frames.has(path)) return [path];
    const steps = inner(path);
    const reached = new Set(
      edges.filter((edge) => steps.includes(edge[side === "to" ? "from" : "to"])).map((edge) => edge[side]),
    );
    return steps.filter((step) => !reached.has(step)).flatMap((step) => ends(step, side));
  };
  return known(
    nodes,
    edges.flatMap(({ from, to }) =>
      ends(from, "from").flatMap((one) => ends(to, "to").map((other) => ({ from: one, to: other }))),
    ),
  );
}

/** Drops edges to steps that a closed container hides. */
function known(nodes: readonly PlanNode[], edges: readonly PlanEdge[]): readonly PlanEdge[] {
  const paths = new Set(nodes.map(({ path }) => path));
  return edges.filter(({ from, to }) => paths.has(from) && paths.has(to));
}
