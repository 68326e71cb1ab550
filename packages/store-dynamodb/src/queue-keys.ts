/**
 * Keys of the queue. Every claimable run is in one partition, sorted so that one query returns everything that may be
 * claimed now and nothing that waits:
 *
 *   0a  operators' actions, by time
 *   1k  queued runs with a concurrency key, by tenant and key
 *   2q  other queued runs, by lane: tenant, plan, version and log format
 *   3t  started runs that are due and delayed starts, by time
 */
import { createHash } from "node:crypto";

/** No identifier contains it, and it sorts before every character of one. */
export const SEPARATOR = "\u0001";

/** Everything that can be claimed, or at a later time. */
export const READY = "QUEUE#READY";
/** Runs of workers, by worker. */
export const OWNED = "QUEUE#OWNED";
/** Started runs with a concurrency key, by tenant and key. */
export const HOLDERS = "QUEUE#HOLDERS";
/** Runs that have not started, by tenant, project and plan. */
export const QUEUED = "QUEUE#QUEUED";
/** Every unfinished run, by id. */
export const OPEN_RUNS = "QUEUE#OPEN";
/** Every unfinished run, by plan, version, log format and tenant. */
export const BY_PLAN = "QUEUE#PLANS";

export const ACTIONS = "0a";
export const KEYED = "1k";
export const LANES = "2q";
export const TIMERS = "3t";

/** The parts of a sort key. Each group of keys with the same first parts is contiguous. */
export function joined(...parts: readonly string[]): string {
  return parts.join(SEPARATOR);
}

/** The beginning of the keys with these first parts. */
export function prefixOf(...parts: readonly string[]): string {
  return `${joined(...parts)}${SEPARATOR}`;
}

const MAX_PART_BYTES = 160;

/** A sort key has 1,024 bytes, and one identifier may have 1,020: a long one is replaced by its beginning and its hash. */
export function part(id: string): string {
  if (Buffer.byteLength(id) <= MAX_PART_BYTES) return id;
  return `${id.slice(0, 16)}|${createHash("sha256").update(id).digest("hex")}`;
}

/** Sorts like the time. Times before 1970 sort as 1970. */
export function timeKey(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(16, "0");
}

const ABOVE_ALL_PRIORITIES = 5_000_000;

/** The highest priority sorts first. */
export function priorityKey(priority: number): string {
  return String(ABOVE_ALL_PRIORITIES - priority).padStart(8, "0");
}

/** Unfinished runs of a schedule, by the time that they were started for. */
export function openTicksPartition(tenantId: string, scheduleId: string): string {
  return `TICK#open#${joined(part(tenantId), part(scheduleId))}`;
}
