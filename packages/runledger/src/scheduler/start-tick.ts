import { StopError, type FullStateStore, type Schedule } from "@runledger/contracts";
import { startRun, type StartedRun } from "../ledger/start-run.js";

/**
 * Starts the run of one time of a schedule, or finds it. Its request names schedule and time, so that the run says
 * where it comes from. `epoch`: refused with SCHEDULE_CHANGED unless the schedule still has it; null = whoever asks.
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
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    ...(labels === undefined ? {} : { labels }),
    ...(by === undefined ? {} : { by }),
    schedule: { scheduleId, tick, epoch },
  });
}
