import type { CanonicalEngineEvent, Json, JsonObject } from "@runledger/contracts";

/** Fields with user data. All other fields are small, and the fold needs them. */
const PAYLOADS = new Set(["input", "output", "payload", "patch", "state", "stack", "cause"]);

/** Removes user data from an event. The result folds to the same run, except for that data. */
export function withoutPayloads(event: CanonicalEngineEvent): CanonicalEngineEvent {
  const { eventData } = event;
  if (!isObject(eventData)) return event;
  const kept = Object.entries(eventData).filter(([name]) => !PAYLOADS.has(name));
  const light = kept.map(([name, value]) => [name, name === "opened" ? withoutItems(value) : value]);
  return { ...event, eventData: Object.fromEntries(light) as JsonObject };
}

/** Keeps the number of a container's items, but not the items. */
function withoutItems(opened: Json | undefined): Json | undefined {
  if (opened === undefined || !isObject(opened)) return opened;
  const { items: _, ...rest } = opened;
  return rest;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
