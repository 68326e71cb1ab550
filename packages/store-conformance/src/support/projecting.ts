import {
  omitUndefined,
  type Json,
  type NewEvent,
  type ProjectionChange,
  type RunHeader,
  type RunQueuedData,
  type StateStore,
} from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { eventOf, logOf } from "./events.js";

/** The change that a projector saves for a run's log, after reading the projection at `readSeq`. */
export async function changeOf(store: StateStore, runId: string): Promise<ProjectionChange> {
  const stored = await store.snapshots.readProjection({ runId, stepIds: [] });
  const state = evolveAll(initialState(runId), await logOf(store, runId));
  return { readSeq: stored?.header.lastEventSeq ?? 0, header: toRunHeader(state), steps: state.steps.rows() };
}

/** Projects the current state of runs in one call. */
export async function project(store: StateStore, ...runIds: readonly string[]): Promise<readonly boolean[]> {
  return store.snapshots.saveProjections(await Promise.all(runIds.map((runId) => changeOf(store, runId))));
}

/** The content and time of the first event. */
type Header = Pick<RunHeader, "createdAt" | "planId" | "planVersion"> & Partial<RunQueuedData>;

/** Builds a first event with this content. */
export function queuedOf(runId: string, { createdAt, planId, planVersion = "1.0.0", ...data }: Header = {}): NewEvent {
  const plan = { planId: planId ?? "plan", planVersion };
  return eventOf(runId, "RunQueued", {
    planVersion,
    planId: plan.planId,
    ...omitUndefined({ emittedAt: createdAt }),
    eventData: { plan, ...data } as unknown as Json,
  });
}

/** Adds a run and projects it. */
export async function addRun(store: StateStore, runId: string, header: Header = {}): Promise<void> {
  await store.forTenant(header.tenantId ?? "default").appendEvent(queuedOf(runId, header));
  await project(store, runId);
}

/** Appends an event to the run and projects it. */
export async function goOn(store: StateStore, runId: string, eventType: string, eventData = {}): Promise<void> {
  await store.appendEvent(eventOf(runId, eventType, { eventData }));
  await project(store, runId);
}
