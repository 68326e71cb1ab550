/**
 * Bounds what an event can expand to. A range of a few bytes may stand for many steps, and every reader of the log expands
 * it. So one event must not be able to fill the memory of all readers (K4).
 */
import { InputError } from "./errors/families.js";
import type { StepRange } from "./event-data.js";
import { MAX_IDENTIFIER_LENGTH } from "./identifiers.js";
import type { Json, JsonObject } from "./json.js";

/** The most steps that one event may name, and the most items that a container may have. */
export const MAX_NAMED_STEPS = 500_000;

/** Returns `true` for a step id, and for a range of whole numbers whose step ids are not too long (K3). */
export function isStepRange(value: Json | undefined): value is Exclude<StepRange, object> | (StepRange & JsonObject) {
  if (typeof value === "string") return true;
  const { container, from, to, step } = (value ?? {}) as JsonObject;
  if (typeof container !== "string" || typeof step !== "string" || !isIndex(from) || !isIndex(to)) return false;
  return `${container}/${to}/${step}`.length <= MAX_IDENTIFIER_LENGTH;
}

export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Counts the steps that ranges stand for, without expanding them. */
export function countSteps(ranges: readonly StepRange[]): number {
  return ranges.reduce(
    (sum, range) => sum + (typeof range === "string" ? 1 : Math.max(0, range.to - range.from + 1)),
    0,
  );
}

/** The field of a payload that lists steps, by event type. */
const LISTS: Readonly<Record<string, string>> = {
  StepsReset: "steps",
  RunReopened: "steps",
  RunTakenOver: "stepsInFlight",
};

/** Throws EVENT_INVALID if readers would have to expand the payload to too many steps. */
export function checkExpansion(eventType: string, eventData: Json, field: string): void {
  const name = LISTS[eventType] ?? (eventType === "StepStarted" ? "opened" : null);
  const value = name === null ? undefined : (eventData as JsonObject | null)?.[name];
  if (value === undefined || value === null) return;
  if (name === "opened") checkCount((value as JsonObject)["count"], `${field}.opened.count`);
  else if (Array.isArray(value)) checkRanges(value as readonly Json[], `${field}.${name}`);
}

function checkCount(count: Json | undefined, field: string): void {
  if (count === undefined || (isIndex(count) && count <= MAX_NAMED_STEPS)) return;
  throw new InputError("EVENT_INVALID", field, `must be a whole number from 0 to ${MAX_NAMED_STEPS}. Use fewer items.`);
}

function checkRanges(ranges: readonly Json[], field: string): void {
  const wrong = ranges.findIndex((range) => !isStepRange(range));
  if (wrong >= 0) {
    const message = `must be a step id, or { container, from, to, step } with whole numbers and an id of at most ${MAX_IDENTIFIER_LENGTH} characters.`;
    throw new InputError("EVENT_INVALID", `${field}[${wrong}]`, message);
  }
  const count = countSteps(ranges as readonly StepRange[]);
  if (count <= MAX_NAMED_STEPS) return;
  const message = `names ${count} steps. An event names at most ${MAX_NAMED_STEPS}. Use several events.`;
  throw new InputError("EVENT_INVALID", field, message);
}
