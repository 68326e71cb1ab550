import { newEvent, type Json, type NewEvent } from "@runledger/contracts";
import * as fc from "fast-check";

/** Few values, so that sequences often collide. */
export const RUNS = ["run-1", "run-2", "läuft/3"] as const;
const TENANTS = [undefined, undefined, undefined, undefined, undefined, undefined, "acme", "other"] as const;
const STEPS = ["extract", "load", "each/0/x"] as const;
const PAYLOADS: readonly Json[] = [
  {},
  { output: 1, patch: { a: 1 } },
  { error: { code: "E", message: "", retryable: true } },
];

const STEP_TYPES = ["StepStarted", "StepCompleted", "StepFailed", "StepSkipped"];
const RUN_TYPES = ["RunStarted", "RunCompleted", "RunFailed", "RunCancelled", "RunReopened", "RunPaused", "Custom"];
const LISTS: Readonly<Record<string, Json>> = {
  RunReopened: { steps: ["load", { container: "each", from: 0, to: 1, step: "x" }] },
  StepsReset: { steps: ["extract"] },
  RunTakenOver: { epoch: 1, workerId: "w", stepsInFlight: ["load"] },
};

export const runs = fc.constantFrom(...RUNS);
export const tenants = fc.constantFrom(...TENANTS);

export interface EventSpec {
  readonly runId: string;
  readonly eventType: string;
  readonly stepId?: string;
  readonly attempt: string;
  readonly payload: Json;
}

function specsOf(types: readonly string[], more: { readonly stepId?: fc.Arbitrary<string> }): fc.Arbitrary<EventSpec> {
  return fc.record({
    runId: runs,
    eventType: fc.constantFrom(...types),
    attempt: fc.constantFrom("1", "1", "2"),
    payload: fc.constantFrom(...PAYLOADS),
    ...more,
  });
}

export const eventSpecs: fc.Arbitrary<EventSpec> = fc.oneof(
  { weight: 5, arbitrary: specsOf(STEP_TYPES, { stepId: fc.constantFrom(...STEPS) }) },
  { weight: 2, arbitrary: specsOf([...RUN_TYPES, "SignalAccepted", "StepsReset", "RunTakenOver"], {}) },
);

/** Counts events, for ids and times that stay the same in a shrunken sequence. */
export interface Counter {
  events: number;
}

/** Builds the event of a spec: always the same key, always another id and time, like a retry from another process. */
export function eventFrom(counter: Counter, spec: EventSpec): NewEvent {
  const { runId, eventType, stepId, attempt, payload } = spec;
  const count = ++counter.events;
  const id = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
  return newEvent({
    runId,
    eventType,
    planVersion: "1.0.0",
    logicalAttemptId: attempt,
    eventData: LISTS[eventType] ?? payload,
    eventId: count % 5 === 0 ? id.replace("0000-4000", "ABCD-4000") : id,
    emittedAt: new Date(Date.UTC(2026, 10, 14) + count * 1000).toISOString(),
    ...(stepId === undefined ? {} : { stepId }),
  });
}

export const show = ({ runId, eventType, stepId = "", attempt }: EventSpec): string =>
  `${runId}:${eventType}(${stepId}${attempt === "1" ? "" : `#${attempt}`})`;

export const asTenant = (tenant: string | undefined): string => (tenant === undefined ? "" : ` as ${tenant}`);
