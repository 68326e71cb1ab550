import { hash } from "node:crypto";
import type { CanonicalEngineEvent } from "@runledger/contracts";

/** Serializes an event as one line. Equal events give equal text, regardless of the store they were read from. */
export function eventLine(event: CanonicalEngineEvent): string {
  const envelope = JSON.stringify({
    runId: event.runId,
    runSeq: event.runSeq,
    eventType: event.eventType,
    stepId: event.stepId,
    logicalAttemptId: event.logicalAttemptId,
    engineAttemptId: event.engineAttemptId,
    planId: event.planId,
    planVersion: event.planVersion,
    emittedAt: event.emittedAt,
    persistedAt: event.persistedAt,
    eventId: event.eventId,
    idempotencyKey: event.idempotencyKey,
    causedBySignalId: event.causedBySignalId,
    parentEventId: event.parentEventId,
    adapterVersion: event.adapterVersion,
  });
  const reference = event.engineRunRef === undefined ? "" : `,"engineRunRef":${canonical(event.engineRunRef)}`;
  return `${envelope.slice(0, -1)}${reference},"eventData":${canonical(event.eventData)}}`;
}

/** Sorts object keys, because stores return them in different orders. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  let text = "";
  for (const key of Object.keys(value).sort())
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`;
  return `{${text}}`;
}

/** The checksum of a run without events. */
export const NO_EVENTS = "";

/** Extends a run's checksum by one line. The checksum is a hash chain, so new events extend it incrementally. */
export function extend(checksum: string, line: string): string {
  return hash("sha256", checksum + line, "hex");
}

export function checksumOf(events: Iterable<CanonicalEngineEvent>, from = NO_EVENTS): string {
  let checksum = from;
  for (const event of events) checksum = extend(checksum, eventLine(event));
  return checksum;
}
