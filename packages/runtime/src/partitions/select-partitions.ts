/** Selects partitions of a workflow by their keys. */
import { InputError, type Partitions } from "@runledger/contracts";
import { keysBetween, knownRange, partitionAt, partitionPlace, type PlaceRange } from "@runledger/core";

/** Partitions from `from` to `to`, both inclusive, or those in `keys`. */
export interface PartitionSelection {
  /** The first partition. */
  readonly from?: string;
  /** The last partition. Default: the last one that is complete. A day or an hour is complete once it has passed. */
  readonly to?: string;
  /** These partitions, instead of a range. */
  readonly keys?: readonly string[];
}

/** The keys of the first and the last partition. `null` if none is complete yet. */
export interface PartitionBounds {
  readonly first: string | null;
  readonly last: string | null;
}

const MAX_PARTITIONS = 1000;

export function boundsOf(partitions: Partitions, now: number): PartitionBounds {
  const { first, last } = knownRange(partitions, now);
  if (last < first) return { first: null, last: null };
  return { first: partitionAt(partitions, first).key, last: partitionAt(partitions, last).key };
}

/** Returns the keys in order. Without `from`, it returns the last `most`, or all if that is `null`. */
export function selectKeys(
  partitions: Partitions,
  { from, to, keys }: PartitionSelection,
  { now, most }: { readonly now: number; readonly most: number | null },
): readonly string[] {
  const known = knownRange(partitions, now);
  if (keys !== undefined) {
    if (from !== undefined || to !== undefined) throw invalid("keys", "cannot be combined with from and to.");
    return keysAmong(partitions, known, keys);
  }
  const last = Math.min(known.last, placeOf(partitions, "to", to) ?? known.last);
  const start = most === null ? known.first : Math.max(known.first, last - most + 1);
  const first = Math.max(known.first, placeOf(partitions, "from", from) ?? start);
  assertFew(last - first + 1, partitions, first);
  return keysBetween(partitions, { first, last });
}

function keysAmong(partitions: Partitions, { first, last }: PlaceRange, keys: readonly string[]): string[] {
  assertFew(keys.length, partitions, first);
  const places = new Set(keys.map((key) => placeOf(partitions, "keys", key)!));
  const sorted = [...places].sort((one, other) => one - other);
  const unknown = sorted.find((place) => place < first || place > last);
  if (unknown === undefined) return sorted.map((place) => partitionAt(partitions, place).key);
  const { key } = partitionAt(partitions, unknown);
  throw invalid("keys", `${key} is before the first partition, after the last one, or not complete yet.`);
}

function placeOf(partitions: Partitions, field: string, key: string | undefined): number | null {
  if (key === undefined) return null;
  const place = partitionPlace(partitions, key);
  if (place !== null) return place;
  const forms = {
    day: "a day such as 2026-01-31",
    hour: "an hour such as 2026-01-31T08",
    key: "a key of the workflow",
  };
  throw invalid(field, `${JSON.stringify(key.slice(0, 100))} is not ${forms[partitions.by]}.`);
}

function assertFew(count: number, partitions: Partitions, first: number): void {
  if (count <= MAX_PARTITIONS) return;
  const end = partitionAt(partitions, first + MAX_PARTITIONS - 1).key;
  throw invalid("to", `selects ${count} partitions. Select at most ${MAX_PARTITIONS}, such as those up to ${end}.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}
