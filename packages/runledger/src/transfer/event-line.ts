import { hash } from "node:crypto";
import type { CanonicalEngineEvent } from "@runledger/contracts";

/** An event as one line of text: the same event gives the same text, whatever store it was read from. */
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

/** Stores keep the keys of an object in an order of their own. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  let text = "";
  for (const key of Object.keys(value).sort())
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`;
  return `{${text}}`;
}

/** Of nothing: where every run's checksum begins. */
export const NO_EVENTS = "";

/** A run's checksum is a chain over its lines, so that it goes on where it was with every event that comes. */
export function extend(checksum: string, line: string): string {
  return hash("sha256", checksum + line, "hex");
}

export function checksumOf(events: Iterable<CanonicalEngineEvent>, from = NO_EVENTS): string {
  let checksum = from;
  for (const event of events) checksum = extend(checksum, eventLine(event));
  return checksum;
}
