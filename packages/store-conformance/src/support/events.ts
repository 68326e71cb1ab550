import {
  newEvent,
  type CanonicalEngineEvent,
  type EventLog,
  type NewEvent,
  type NewEventParts,
} from "@runledger/contracts";

const PLAN_VERSION = "1.0.0";

type Parts = Partial<Omit<NewEventParts, "runId" | "eventType">>;

/** A run-level event, or whatever `parts` make of it. */
export function eventOf(runId: string, eventType: string, parts: Parts = {}): NewEvent {
  return newEvent({ runId, eventType, planVersion: PLAN_VERSION, ...parts });
}

/** A StepStarted: every step id is another key. */
export function stepOf(runId: string, stepId: string, parts: Parts = {}): NewEvent {
  return eventOf(runId, "StepStarted", { stepId, ...parts });
}

/** `count` different events: steps s1, s2, … */
export function stepsOf(runId: string, count: number, first = 1): NewEvent[] {
  return Array.from({ length: count }, (_, index) => stepOf(runId, `s${first + index}`));
}

/** The whole log, page by page, as a follower reads it (state-store-contract 4.1). */
export async function logOf(log: Pick<EventLog, "streamEvents">, runId: string): Promise<CanonicalEngineEvent[]> {
  const events: CanonicalEngineEvent[] = [];
  for await (const event of log.streamEvents(runId)) events.push(event);
  return events;
}

/** What is compared where the order and the place of events matter. */
export function placesOf(events: readonly CanonicalEngineEvent[]): [number, string][] {
  return events.map((event) => [event.runSeq, event.stepId ?? event.eventType]);
}
