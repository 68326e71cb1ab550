import {
  newEvent,
  type CanonicalEngineEvent,
  type EventLog,
  type StateStore,
  type NewEvent,
  type NewEventParts,
} from "@runledger/contracts";

const PLAN_VERSION = "1.0.0";

type Parts = Partial<Omit<NewEventParts, "runId" | "eventType">>;

/** Builds a run-level event, unless `parts` change it. */
export function eventOf(runId: string, eventType: string, parts: Parts = {}): NewEvent {
  return newEvent({ runId, eventType, planVersion: PLAN_VERSION, ...parts });
}

/** Builds a StepStarted. Every step id gives another key. */
export function stepOf(runId: string, stepId: string, parts: Parts = {}): NewEvent {
  return eventOf(runId, "StepStarted", { stepId, ...parts });
}

/** Builds `count` different events: steps s1, s2, … */
export function stepsOf(runId: string, count: number, first = 1): NewEvent[] {
  return Array.from({ length: count }, (_, index) => stepOf(runId, `s${first + index}`));
}

/**
 * Reads the whole log, page by page, like a follower. No append is in flight, so numbers that are still missing are dead, and
 * it settles them (P10).
 */
export async function logOf(
  log: Pick<EventLog, "streamEvents" | "fetchHeads"> & Pick<StateStore, "settling">,
  runId: string,
): Promise<CanonicalEngineEvent[]> {
  const [head] = log.settling === undefined ? [] : await log.fetchHeads([runId]);
  if (head !== undefined) await log.settling?.settleSeq({ runId, seq: head.headSeq });
  const events: CanonicalEngineEvent[] = [];
  for await (const event of log.streamEvents(runId)) events.push(event);
  return events;
}

/** The values to compare if order and numbers of events matter. */
export function placesOf(events: readonly CanonicalEngineEvent[]): [number, string][] {
  return events.map((event) => [event.runSeq, event.stepId ?? event.eventType]);
}
