/** Reads the runs of partitions from the run index. */
import {
  PARTITION_LABEL,
  partitionStateOf,
  type FullStateStore,
  type PartitionState,
  type RunSummary,
} from "@runledger/contracts";

/** Selects the runs of a workflow. A partition has runs of its own in each environment. */
export interface PartitionPlace {
  readonly tenantId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly planId: string;
}

export interface PartitionRuns {
  readonly key: string;
  readonly state: PartitionState;
  /** `null` if the partition has no run. */
  readonly newest: RunSummary | null;
  /** Number of the last run that was started for the partition. 0 if none was. */
  readonly generation: number;
}

/** Queries that are open at the same time. */
const AT_ONCE = 8;
const MAX_PAGES = 10;

export async function readPartitionRuns(
  store: FullStateStore,
  place: PartitionPlace,
  keys: readonly string[],
): Promise<PartitionRuns[]> {
  const found: PartitionRuns[] = [];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const part = keys.slice(from, from + AT_ONCE);
    found.push(...(await Promise.all(part.map((key) => readRuns(store, place, key)))));
  }
  return found;
}

async function readRuns(store: FullStateStore, place: PartitionPlace, key: string): Promise<PartitionRuns> {
  const runs: RunSummary[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || (cursor !== null && page < MAX_PAGES); page++) {
    const at: { readonly cursor?: string } = cursor === null ? {} : { cursor };
    const read = await store.index.listRuns({ ...place, labels: { [PARTITION_LABEL]: key }, ...at, limit: 50 });
    runs.push(...read.runs);
    ({ cursor } = read);
  }
  const newest = runs[0] ?? null;
  const state = newest === null ? "missing" : partitionStateOf(newest.status);
  return { key, state, newest, generation: Math.max(0, ...runs.map((run) => generationOf(run, key))) };
}

/** The request id of a partition's run. Equal starts of one generation are one run (Q1). */
export function partitionRequestId(key: string, generation: number): string {
  return `partition:${key}:${generation}`;
}

/** 0 for a run that has the label but was started in another way, such as a fork. */
function generationOf({ runRequestId }: RunSummary, key: string): number {
  const prefix = `partition:${key}:`;
  if (runRequestId?.startsWith(prefix) !== true) return 0;
  const generation = Number(runRequestId.slice(prefix.length));
  return Number.isSafeInteger(generation) ? generation : 0;
}
