import {
  omitUndefined,
  RunDeletedError,
  StopError,
  type FullStateStore,
  type Plan,
  type Schedule,
} from "@runledger/contracts";
import { knownRange, partitionAt } from "@runledger/core";
import { partitionRequestId } from "../partitions/partition-runs.js";
import { startRun, type StartedRun } from "../runs/start-run.js";

/**
 * Starts the run of one tick, or finds it if it exists. The request id names the schedule and the tick, or the partition that
 * the tick is for: a backfill may have started that before. Throws
 * SCHEDULE_CHANGED if the schedule's epoch is no longer `epoch`; `null` skips that check.
 */
export async function startTick(
  store: FullStateStore,
  { tenantId, scheduleId, definition }: Schedule,
  tick: string,
  { epoch, by }: { readonly epoch: number | null; readonly by?: string | undefined },
): Promise<StartedRun> {
  const { plan: ref, input, state, projectId, environmentId, priority, concurrencyKey, labels } = definition;
  const plan = await store.plans.loadPlan(ref);
  if (plan === null) throw new StopError("STORE_FAULT", `Plan ${ref.planId} ${ref.planVersion} is not in the store.`);
  const partition = partitionOfTick(plan, tick);
  const workflow = { plan, closures: new Map(), input: undefined, signals: {}, initialState: state };
  return startRun(store, workflow, input, {
    requestId: partition === undefined ? `${scheduleId}@${tick}` : partitionRequestId(partition, 1),
    tenantId,
    projectId,
    environmentId,
    priority,
    ...omitUndefined({ concurrencyKey, labels, partition, by }),
    schedule: { scheduleId, tick, epoch },
  }).catch(unlessDeleted);
}

/** A workflow by day or hour starts the last one that is complete at the tick. `undefined` if there is none. */
function partitionOfTick({ partitions }: Plan, tick: string): string | undefined {
  if (partitions === undefined || partitions.by === "key") return undefined;
  const { first, last } = knownRange(partitions, Date.parse(tick));
  return last < first ? undefined : partitionAt(partitions, last).key;
}

/** Retention has deleted the run of the partition: it was done. */
function unlessDeleted(error: unknown): StartedRun {
  if (error instanceof RunDeletedError) return { runId: error.runId, created: false };
  throw error;
}
