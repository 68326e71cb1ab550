import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import { MAY_COME_UNFENCED } from "./lease-fence.js";
import { numberArray, plainTextArray, textArray, unlessAllNull } from "./arrays.js";

/** Flags of the part of a run, as both append statements read them. */
const MUST_EXIST = 1;
const SEES_EVERY_TENANT = 4;
const ENDS = 8;

export function flagsOf(part: RunAppend): number {
  return (
    (part.mustExist ? MUST_EXIST : 0) |
    (part.needsFence ? 0 : MAY_COME_UNFENCED) |
    (part.scoped ? 0 : SEES_EVERY_TENANT) |
    (part.ends ? ENDS : 0)
  );
}

/**
 * The conditions, flags and tenants of the runs of a batch, as array literals for unnest(). `expected` reads the head that
 * a run must have.
 */
export function conditionArrays(
  parts: readonly RunAppend[],
  expected: (part: RunAppend) => number | null,
): (string | null)[] {
  return [
    unlessAllNull(parts.map(expected), numberArray),
    unlessAllNull(
      parts.map((part) => part.fence),
      numberArray,
    ),
    numberArray(parts.map(flagsOf)),
    plainTextArray(parts.map((part) => part.tenantId)),
  ];
}

/** The columns of run_events that the caller fills, in the order of the table. */
export function eventValues({ event, dataJson, refJson }: CheckedEvent): (string | null)[] {
  return [
    event.eventId,
    event.stepId ?? null,
    event.engineAttemptId ?? null,
    event.logicalAttemptId,
    event.eventType,
    dataJson,
    event.idempotencyKey,
    event.causedBySignalId ?? null,
    event.parentEventId ?? null,
    event.emittedAt,
    event.adapterVersion ?? null,
    refJson,
    event.planId ?? null,
    event.planVersion,
  ];
}

/** The columns of many events: an array literal per column, for unnest(). */
export function eventArrays(events: readonly CheckedEvent[]): (string | null)[] {
  const rows = events.map(eventValues);
  return rows[0]!.map((_, column) =>
    unlessAllNull(
      rows.map((row) => row[column]!),
      plainTextArray,
    ),
  );
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
