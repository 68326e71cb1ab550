/** Starts runs of partitions that have none, or whose newest run failed. */
import {
  backfillScopes,
  InputError,
  newId,
  omitUndefined,
  partitionStateOf,
  QueueFullError,
  RunDeletedError,
  type BackfillScope,
  type FullStateStore,
  type PartitionState,
} from "@runledger/contracts";
import { directStartsOf } from "../runs/direct-starts.js";
import { loadState } from "../runs/load-state.js";
import { startRun } from "../runs/start-run.js";
import type { Retry } from "../time/retry.js";
import type { Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { backfillKey, limitBackfill } from "./backfill-limit.js";
import { partitionRequestId, readPartitionRuns, type PartitionPlace, type PartitionRuns } from "./partition-runs.js";
import type { PartitionSelection } from "./select-partitions.js";

export interface PartitionBackfillOptions extends PartitionSelection {
  /** Which partitions to start: `missing`, `failed` (which includes cancelled ones) or `both` (default). */
  readonly only?: BackfillScope;
  /** Also starts partitions that have succeeded, and those whose runs retention has deleted. Default `false`. */
  readonly force?: boolean;
  /** Maximum number of partitions that this call starts, the first ones first. Default 100, at most 1000. */
  readonly limit?: number;
  /**
   * Maximum number of runs of this workflow's backfills that are open at once. It is kept as a limit on their concurrency
   * key. Default: what the last call set, or one at a time.
   */
  readonly concurrency?: number;
  /** Starts nothing. */
  readonly dryRun?: boolean;
  /** Input of the runs. */
  readonly input?: unknown;
  /** Priority of the runs. Default 0. */
  readonly priority?: number;
  /** Recorded as the starter of the runs. */
  readonly by?: string;
}

/** A partition that a backfill selected. */
export interface BackfilledPartition {
  readonly key: string;
  /** The state before the call. */
  readonly state: PartitionState;
  /** The run that the call started or found. `null` if a real backfill would start one. */
  readonly runId: string | null;
  /** `true` if this call started the run. */
  readonly started: boolean;
}

export interface PartitionBackfill {
  readonly dryRun: boolean;
  readonly items: readonly BackfilledPartition[];
  /** Number of selected partitions that the call left out, because of its `limit` or because the queue is full. */
  readonly remaining: number;
  /** `true` if a limit on queued runs stopped the call. Repeat it later. */
  readonly queueFull: boolean;
  /** The concurrency key of the runs. */
  readonly concurrencyKey: string;
}

export interface BackfillParts {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly retry: Retry;
}

const CLOSED: Readonly<Record<BackfillScope, readonly PartitionState[]>> = {
  missing: ["missing"],
  failed: ["failed", "cancelled"],
  both: ["missing", "failed", "cancelled"],
};
const MAX_STARTS = 1000;

interface Backfill extends BackfillParts {
  readonly workflow: CompiledWorkflow;
  readonly place: PartitionPlace;
  readonly options: PartitionBackfillOptions;
  readonly wanted: readonly PartitionState[];
}

export async function backfillPartitions(
  parts: BackfillParts & Pick<Backfill, "workflow" | "place" | "options">,
  keys: readonly string[],
): Promise<PartitionBackfill> {
  const { store, place, options } = parts;
  const { limit = 100, concurrency, dryRun = false } = options;
  checkCount("limit", limit, MAX_STARTS);
  if (concurrency !== undefined) checkCount("concurrency", concurrency, MAX_STARTS);
  const backfill = { ...parts, wanted: wantedStates(options) };
  const needsInput = !dryRun || options.input !== undefined;
  if (needsInput) await parseWith(parts.workflow.input, "input", options.input); // before a run starts or a limit changes
  const runs = await readPartitionRuns(store, place, keys);
  const selected = runs.filter(({ state }) => backfill.wanted.includes(state));
  const chosen = selected.slice(0, limit);
  if (!dryRun && concurrency !== undefined) await limitBackfill(store, place, concurrency);
  const { items, queueFull } = dryRun
    ? { items: chosen.map(planned), queueFull: false }
    : await startAll(backfill, chosen);
  const remaining = selected.length - items.length;
  return { dryRun, items, remaining, queueFull, concurrencyKey: backfillKey(place.planId) };
}

function wantedStates({ only = "both", force = false }: PartitionBackfillOptions): readonly PartitionState[] {
  if (!backfillScopes.includes(only))
    throw new InputError("OPTION_INVALID", "only", `must be one of ${backfillScopes.join(", ")}.`);
  return force ? [...CLOSED[only], "succeeded"] : CLOSED[only];
}

function checkCount(field: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new InputError("OPTION_INVALID", field, `must be a whole number from 1 to ${most}.`);
}

function planned({ key, state }: PartitionRuns): BackfilledPartition {
  return { key, state, runId: null, started: false };
}

/** Starts one after the other, so that the first partitions are the first in the queue. */
async function startAll(backfill: Backfill, chosen: readonly PartitionRuns[]) {
  const items: BackfilledPartition[] = [];
  for (const runs of chosen) {
    const item = await startPartition(backfill, runs).catch(unlessFull);
    if (item === null) return { items, queueFull: true };
    items.push(item);
  }
  return { items, queueFull: false };
}

function unlessFull(error: unknown): null {
  if (error instanceof QueueFullError) return null;
  throw error;
}

async function startPartition(backfill: Backfill, runs: PartitionRuns): Promise<BackfilledPartition> {
  const { key, newest } = runs;
  const state = await currentState(backfill, runs);
  if (newest !== null && !backfill.wanted.includes(state)) return { key, state, runId: newest.runId, started: false };
  for (let generation = runs.generation + 1; ; generation++) {
    try {
      const { runId, created } = await startGeneration(backfill, key, generation);
      return { key, state, runId, started: created };
    } catch (error) {
      if (!(error instanceof RunDeletedError)) throw error;
      if (backfill.options.force !== true) return { key, state, runId: error.runId, started: false };
    }
  }
}

/** An operator may have retried the run since it was projected. */
async function currentState({ store }: Backfill, { newest, state }: PartitionRuns): Promise<PartitionState> {
  if (newest?.stale !== true) return state;
  return partitionStateOf((await loadState(store, newest.runId)).status);
}

function startGeneration(
  { store, timers, retry, workflow, place, options }: Backfill,
  key: string,
  generation: number,
) {
  const { tenantId, projectId, environmentId, planId } = place;
  const { input, priority, by } = options;
  const request = {
    requestId: partitionRequestId(key, generation),
    partition: key,
    tenantId,
    projectId,
    environmentId,
    concurrencyKey: backfillKey(planId),
    timers,
    ...(directStartsOf(store) === undefined && { runId: newId("run") }), // a retry after a lost answer finds its own run
    ...omitUndefined({ priority, by }),
  };
  return retry(() => startRun(store, workflow, input, request));
}
