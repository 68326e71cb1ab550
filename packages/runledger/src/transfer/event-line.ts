import { hash } from "node:crypto";
import type { CanonicalEngineEvent } from "@runledger/contracts";

const FIELDS = [
  "runId",
  "runSeq",
  "eventType",
  "stepId",
  "logicalAttemptId",
  "engineAttemptId",
  "planId",
  "planVersion",
  "emittedAt",
  "persistedAt",
  "eventId",
  "idempotencyKey",
  "causedBySignalId",
  "parentEventId",
  "adapterVersion",
  "engineRunRef",
  "eventData",
] as const satisfies readonly (keyof CanonicalEngineEvent)[];

/** An event as one line of text: the same event gives the same text, whatever store it was read from. */
export function eventLine(event: CanonicalEngineEvent): string {
  let line = "";
  for (const field of FIELDS) {
    const value = event[field];
    if (value !== undefined) line += `${line === "" ? "{" : ","}"${field}":${canonical(value)}`;
  }
  return `${line}}`;
}

/** Stores keep the keys of an object in an order of their own. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(",")}}`;
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
