import type { CanonicalEngineEvent, Json, JsonObject } from "@runledger/contracts";

/** What a user's code gave or got. Everything else is small, and the fold needs it. */
const PAYLOADS = new Set(["input", "output", "payload", "patch", "state"]);

/** The event as a reader of the run's course needs it: it folds to the same run, but for the user's own data. */
export function withoutPayloads(event: CanonicalEngineEvent): CanonicalEngineEvent {
  const { eventData } = event;
  if (!isObject(eventData)) return event;
  const kept = Object.entries(eventData).filter(([name]) => !PAYLOADS.has(name));
  const light = kept.map(([name, value]) => [name, name === "opened" ? withoutItems(value) : value]);
  return { ...event, eventData: Object.fromEntries(light) as JsonObject };
}

/** A container says how many items it has, not which. */
function withoutItems(opened: Json | undefined): Json | undefined {
  if (opened === undefined || !isObject(opened)) return opened;
  const { items: _, ...rest } = opened;
  return rest;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
