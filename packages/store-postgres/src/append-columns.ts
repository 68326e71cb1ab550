import type { RunAppend } from "@runledger/core/store";
import { numberArray, optionalTextArray, textArray } from "./arrays.js";

/** Flags of a run's part, as both append statements read them. */
const MUST_EXIST = 1;
const MAY_COME_UNFENCED = 2;
const SEES_EVERY_TENANT = 4;

export function flagsOf(part: RunAppend): number {
  return (
    (part.mustExist ? MUST_EXIST : 0) |
    (part.needsFence ? 0 : MAY_COME_UNFENCED) |
    (part.scoped ? 0 : SEES_EVERY_TENANT)
  );
}

/** The columns of run_events that the caller fills, as array literals for unnest(), in the order of `eventColumns`. */
export function eventArrays(parts: readonly RunAppend[]): (string | null)[] {
  const events = parts.flatMap((part) => part.events);
  const of = (value: (e: (typeof events)[number]) => string): string => textArray(events.map(value));
  const maybe = (value: (e: (typeof events)[number]) => string | null | undefined): string | null =>
    optionalTextArray(events.map((event) => value(event) ?? null));
  return [
    of(({ event }) => event.eventId),
    maybe(({ event }) => event.stepId),
    maybe(({ event }) => event.engineAttemptId),
    of(({ event }) => event.logicalAttemptId),
    of(({ event }) => event.eventType),
    of(({ dataJson }) => dataJson),
    of(({ event }) => event.idempotencyKey),
    maybe(({ event }) => event.causedBySignalId),
    maybe(({ event }) => event.parentEventId),
    of(({ event }) => event.emittedAt),
    maybe(({ event }) => event.adapterVersion),
    maybe(({ refJson }) => refJson),
    maybe(({ event }) => event.planId),
    of(({ event }) => event.planVersion),
  ];
}

export interface CheckpointArrays {
  readonly seqs: string;
  readonly formats: string;
  readonly data: string;
  readonly checksums: string;
}

export function checkpointArrays(parts: readonly RunAppend[]): CheckpointArrays {
  return {
    seqs: numberArray(parts.map((part) => part.checkpoint?.seq ?? null)),
    formats: numberArray(parts.map((part) => part.checkpoint?.format ?? null)),
    data: textArray(parts.map((part) => part.checkpoint?.data ?? null)),
    checksums: textArray(parts.map((part) => part.checkpoint?.checksum ?? null)),
  };
}
