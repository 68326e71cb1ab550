import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import { numberArray, plainTextArray, textArray, unlessAllNull } from "./arrays.js";

/** Flags of a run's part, as both append statements read them. */
const MUST_EXIST = 1;
const MAY_COME_UNFENCED = 2;
const SEES_EVERY_TENANT = 4;

function flagsOf(part: RunAppend): number {
  return (
    (part.mustExist ? MUST_EXIST : 0) |
    (part.needsFence ? 0 : MAY_COME_UNFENCED) |
    (part.scoped ? 0 : SEES_EVERY_TENANT)
  );
}

/** What every run of the batch has, as array literals for unnest(): conditions, flags, tenant. */
export function conditionArrays(parts: readonly RunAppend[]): (string | null)[] {
  return [
    unlessAllNull(
      parts.map((part) => part.expectedSeq),
      numberArray,
    ),
    unlessAllNull(
      parts.map((part) => part.fence),
      numberArray,
    ),
    numberArray(parts.map(flagsOf)),
    plainTextArray(parts.map((part) => part.tenantId)),
  ];
}

/** The columns of run_events that the caller fills, as array literals for unnest(), in the order of the table. */
export function eventArrays(events: readonly CheckedEvent[]): (string | null)[] {
  const of = (value: (e: CheckedEvent) => string): string => plainTextArray(events.map(value));
  const maybe = (value: (e: CheckedEvent) => string | null | undefined): string | null =>
    unlessAllNull(
      events.map((event) => value(event) ?? null),
      plainTextArray,
    );
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
  readonly seqs: string | null;
  readonly formats: string | null;
  readonly data: string | null;
  readonly checksums: string | null;
}

export function checkpointArrays(parts: readonly RunAppend[]): CheckpointArrays {
  const checkpoints = parts.map((part) => part.checkpoint);
  const numbers = (values: readonly (number | null)[]): string | null => unlessAllNull(values, numberArray);
  const texts = (values: readonly (string | null)[]): string | null => unlessAllNull(values, textArray);
  return {
    seqs: numbers(checkpoints.map((checkpoint) => checkpoint?.seq ?? null)),
    formats: numbers(checkpoints.map((checkpoint) => checkpoint?.format ?? null)),
    data: texts(checkpoints.map((checkpoint) => checkpoint?.data ?? null)),
    checksums: texts(checkpoints.map((checkpoint) => checkpoint?.checksum ?? null)),
  };
}
