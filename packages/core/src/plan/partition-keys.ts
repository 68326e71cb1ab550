/**
 * The partitions of a workflow, in order. Each has a place: days and hours are counted from 1970, keys from 0 in their
 * list. Pure: the caller passes the time.
 */
import type { Partition, Partitions } from "@runledger/contracts";
import { dayOf, startOfDay } from "./time-zone.js";

/** The label and the request id of a run contain the key. */
export const MAX_PARTITION_KEY = 200;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAY_KEY = /^\d{4}-\d\d-\d\d$/;
const HOUR_KEY = /^\d{4}-\d\d-\d\dT\d\d$/;

/** Places, both inclusive. Empty if `last` is less than `first`. */
export interface PlaceRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the place of a key, or `null` if it does not have the form of one. A day names its first hour. */
export function partitionPlace(partitions: Partitions, key: string): number | null {
  if (partitions.by === "key") return placeOrNull(partitions.keys.indexOf(key));
  if (partitions.by === "day") return DAY_KEY.test(key) ? timePlace(key, `${key}T00:00Z`, DAY) : null;
  if (DAY_KEY.test(key)) return timePlace(`${key}T00`, `${key}T00:00Z`, HOUR);
  return HOUR_KEY.test(key) ? timePlace(key, `${key}:00Z`, HOUR) : null;
}

function placeOrNull(place: number): number | null {
  return place === -1 ? null : place;
}

/** `null` for a day such as February 30, which the platform would move to March. */
function timePlace(key: string, text: string, unit: number): number | null {
  const ms = Date.parse(text);
  const exists = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(key);
  return exists && ms >= Date.parse("0001-01-01T00:00Z") ? ms / unit : null;
}

/** Returns the partition at a place that exists. */
export function partitionAt(partitions: Partitions, place: number): Partition {
  if (partitions.by === "key") return { key: partitions.keys[place]! };
  if (partitions.by === "hour") return { key: hourKey(place), start: iso(place * HOUR), end: iso((place + 1) * HOUR) };
  const { timeZone = "UTC" } = partitions;
  const bound = (day: number): string => iso(startOfDay(dayKey(day), timeZone));
  return { key: dayKey(place), start: bound(place), end: bound(place + 1) };
}

/** Returns the partition with a key, or `null` if the workflow has no such partition. It may be in the future. */
export function partitionOf(partitions: Partitions, key: string): Partition | null {
  const place = partitionPlace(partitions, key);
  const { first, last } = bounds(partitions);
  if (place === null || place < first || place > last) return null;
  const found = partitionAt(partitions, place);
  return found.key === key ? found : null;
}

/** The partitions that are complete at this time: a day or an hour counts once it has passed. */
export function knownRange(partitions: Partitions, now: number): PlaceRange {
  const { first, last } = bounds(partitions);
  return { first, last: Math.min(last, lastComplete(partitions, now)) };
}

/** Returns the keys of a range, ascending. */
export function keysBetween(partitions: Partitions, { first, last }: PlaceRange): string[] {
  if (partitions.by === "key") return partitions.keys.slice(first, last + 1);
  const keyAt = partitions.by === "day" ? dayKey : hourKey;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => keyAt(first + index));
}

function bounds(partitions: Partitions): PlaceRange {
  if (partitions.by === "key") return { first: 0, last: partitions.keys.length - 1 };
  const { start, end } = partitions;
  return { first: partitionPlace(partitions, start)!, last: end === undefined ? Infinity : lastPlace(partitions, end) };
}

/** A day as the end of a workflow by hour includes its last hour. */
function lastPlace(partitions: Partitions, end: string): number {
  const place = partitionPlace(partitions, end)!;
  return partitions.by === "hour" && DAY_KEY.test(end) ? place + 23 : place;
}

function lastComplete(partitions: Partitions, now: number): number {
  if (partitions.by === "key") return partitions.keys.length - 1;
  if (partitions.by === "hour") return Math.floor(now / HOUR) - 1;
  return partitionPlace(partitions, dayOf(now, partitions.timeZone ?? "UTC"))! - 1;
}

function dayKey(place: number): string {
  return iso(place * DAY).slice(0, 10);
}

function hourKey(place: number): string {
  return iso(place * HOUR).slice(0, 13);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
