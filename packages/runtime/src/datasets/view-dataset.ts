/** Datasets as the API, the command line and the console show them. */
import type {
  DatasetField,
  DatasetIndex,
  DatasetName,
  DatasetSummary,
  LastUse,
  TenantDataset,
  WorkflowStep,
} from "@runledger/contracts";

export type Freshness = "fresh" | "stale" | "no-policy" | "never-written";
export const freshnessValues = ["fresh", "stale", "no-policy", "never-written"] as const satisfies readonly Freshness[];

/** A completed attempt that read or wrote the dataset. */
export interface DatasetUseView extends WorkflowStep {
  /** `null` if the run was deleted. */
  readonly runId: string | null;
  readonly attempt: string;
  readonly at: string;
  readonly rows?: number;
  readonly bytes?: number;
}

export interface DatasetView extends DatasetName {
  readonly freshness: Freshness;
  /** The dataset is stale if its last write is older. `null` if the step that wrote it last declares no policy. */
  readonly freshForMs: number | null;
  /** `null` if no step has written it. */
  readonly lastWrite: DatasetUseView | null;
}

/** Another dataset, and the steps that connect the two. */
export interface DatasetNeighbor extends DatasetName {
  readonly steps: readonly WorkflowStep[];
}

export interface DatasetDetail extends DatasetView {
  /** The fields that the last write reported. */
  readonly fields: readonly DatasetField[];
  /** The steps that write it, each with its last write, newest first. */
  readonly writers: readonly DatasetUseView[];
  /** The steps that read it, each with its last read, newest first. */
  readonly readers: readonly DatasetUseView[];
  /** Datasets that the writers read. */
  readonly upstream: readonly DatasetNeighbor[];
  /** Datasets that the readers write. */
  readonly downstream: readonly DatasetNeighbor[];
  /** The last 20 writes, newest first. */
  readonly writes: readonly DatasetUseView[];
}

export function viewDataset({ namespace, name, lastWrite }: DatasetSummary, now: number): DatasetView {
  const freshForMs = lastWrite?.details.freshForMs ?? null;
  const freshness = freshnessOf(lastWrite, freshForMs, now);
  return { namespace, name, freshness, freshForMs, lastWrite: lastWrite && viewUse(lastWrite) };
}

function freshnessOf(lastWrite: LastUse | null, freshForMs: number | null, now: number): Freshness {
  if (lastWrite === null) return "never-written";
  if (freshForMs === null) return "no-policy";
  return now - Date.parse(lastWrite.at) > freshForMs ? "stale" : "fresh";
}

/** Returns `null` if no step has used the dataset. */
export async function describeDataset(
  index: DatasetIndex,
  dataset: TenantDataset,
  now: number,
): Promise<DatasetDetail | null> {
  const { tenantId, namespace, name } = dataset;
  const uses = await index.usesOf(dataset);
  if (uses.length === 0) return null;
  const [writers, readers] = [uses.filter(isWrite), uses.filter((use) => !isWrite(use))];
  const lastWrite = writers[0] ?? null;
  const [beside, writes] = await Promise.all([index.usesBySteps({ tenantId, steps: uses }), index.listWrites(dataset)]);
  const others = beside.filter((use) => use.namespace !== namespace || use.name !== name);
  return {
    ...viewDataset({ namespace, name, lastWrite }, now),
    fields: lastWrite?.details.fields ?? [],
    writers: writers.map(viewUse),
    readers: readers.map(viewUse),
    upstream: neighbors(
      others.filter((use) => !isWrite(use)),
      writers,
    ),
    downstream: neighbors(others.filter(isWrite), readers),
    writes: writes.map(viewUse),
  };
}

/** Groups the uses by these steps by dataset. */
function neighbors(uses: readonly LastUse[], steps: readonly WorkflowStep[]): DatasetNeighbor[] {
  const wanted = new Set(steps.map(stepKey));
  const found = new Map<string, DatasetNeighbor>();
  for (const use of uses) {
    if (!wanted.has(stepKey(use))) continue;
    const { namespace, name, planId, stepId } = use;
    const key = JSON.stringify([namespace, name]);
    found.set(key, { namespace, name, steps: [...(found.get(key)?.steps ?? []), { planId, stepId }] });
  }
  return [...found.values()];
}

function stepKey({ planId, stepId }: WorkflowStep): string {
  return JSON.stringify([planId, stepId]);
}

function isWrite({ access }: LastUse): boolean {
  return access === "write";
}

function viewUse({ planId, stepId, runId, attempt, at, details: { rows, bytes } }: LastUse): DatasetUseView {
  const amounts = { ...(rows !== undefined && { rows }), ...(bytes !== undefined && { bytes }) };
  return { planId, stepId, runId, attempt, at, ...amounts };
}
