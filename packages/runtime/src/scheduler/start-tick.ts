import { omitUndefined, StopError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { startRun, type StartedRun } from "../runs/start-run.js";

/**
 * Starts the run of one tick, or finds it if it exists. The request id names the schedule and the tick. Throws
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
  const workflow = { plan, closures: new Map(), input: undefined, signals: {}, initialState: state };
  return startRun(store, workflow, input, {
    requestId: `${scheduleId}@${tick}`,
    tenantId,
    projectId,
    environmentId,
    priority,
    ...omitUndefined({ concurrencyKey, labels, by }),
    schedule: { scheduleId, tick, epoch },
  });
}
