/** Checks the options of subscriptions. */
import { InputError, storableInstant, type SubscriptionFilter } from "@runledger/contracts";

/** `beginning` delivers all events, `now` the ones that follow, and a time (ISO 8601) the ones from then on. */
export type StartFrom = string | Date;

/** Returns the time as a store takes it. */
export function readStart(from: StartFrom): string | null {
  if (from === "beginning") return null;
  if (from === "now") return "now";
  const ms = from instanceof Date ? from.getTime() : Date.parse(from);
  const instant = storableInstant(ms);
  if (instant === null) throw wrong("from", 'must be "beginning", "now" or an ISO 8601 time.');
  return instant;
}

export function checkMaxAttempts(maxAttempts: number): void {
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 1000)
    throw wrong("maxAttempts", "must be a whole number from 1 to 1000.");
}

const KNOWN = ["workflows", "eventTypes", "labels"];

export function checkFilter(filter: SubscriptionFilter): SubscriptionFilter {
  const unknown = Object.keys(filter).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw wrong(`filter.${unknown}`, `is not part of a filter. Use ${KNOWN.join(", ")}.`);
  const { workflows, eventTypes, labels } = filter;
  checkNames("workflows", workflows);
  checkNames("eventTypes", eventTypes);
  if (labels !== undefined && !Object.values(labels).every((value) => typeof value === "string"))
    throw wrong("filter.labels", "must map names to texts.");
  return filter;
}

function checkNames(field: "workflows" | "eventTypes", names: readonly string[] | undefined): void {
  if (names === undefined) return;
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === "string" && name !== ""))
    throw wrong(`filter.${field}`, "must list at least one name. Leave it out to select all.");
}

function wrong(field: string, message: string): InputError {
  return new InputError("SUBSCRIPTION_INVALID", field, message);
}
