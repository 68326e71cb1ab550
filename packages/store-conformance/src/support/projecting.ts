import type { Json, NewEvent, ProjectionChange, RunHeader, RunQueuedData, StateStore } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { eventOf, logOf } from "./events.js";

/** What a projector would save of a run's log, having read the projection at `readSeq`. */
async function changeOf(store: StateStore, runId: string): Promise<ProjectionChange> {
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  const state = evolveAll(initialState(runId), await logOf(store, runId));
  return { readSeq: stored?.header.lastEventSeq ?? 0, header: toRunHeader(state), steps: state.steps.rows() };
}

/** Projects runs as they stand, in one call. */
export async function project(store: StateStore, ...runIds: readonly string[]): Promise<readonly boolean[]> {
  return store.snapshots.saveProjections(await Promise.all(runIds.map((runId) => changeOf(store, runId))));
}

/** What the first event says, and when. */
type Header = Pick<RunHeader, "createdAt" | "planId" | "planVersion"> & Partial<RunQueuedData>;

/** A first event that says this of its run. */
export function queuedOf(runId: string, { createdAt, planId, planVersion = "1.0.0", ...data }: Header = {}): NewEvent {
  const plan = { planId: planId ?? "plan", planVersion };
  return eventOf(runId, "RunQueued", {
    planVersion,
    planId: plan.planId,
    ...(createdAt === undefined ? {} : { emittedAt: createdAt }),
    eventData: { plan, ...data } as unknown as Json,
  });
}

/** A run that is there and projected. */
export async function addRun(store: StateStore, runId: string, header: Header = {}): Promise<void> {
  await store.forTenant(header.tenantId ?? "default").appendEvent(queuedOf(runId, header));
  await project(store, runId);
}

/** The run goes on, and its projection with it. */
export async function goOn(store: StateStore, runId: string, eventType: string, eventData = {}): Promise<void> {
  await store.appendEvent(eventOf(runId, eventType, { eventData }));
  await project(store, runId);
}
