/** Finds the artifacts that a fork may read through the events that it keeps (A8). */
import { artifactIdOf, isJsonObject, type Json, type NewEvent } from "@runledger/contracts";

/**
 * Returns the addresses in outputs, and those of large outputs and lists of items. An artifact that an attempt has written counts
 * only if its output names it: later steps reach no other.
 */
export function referredArtifacts(events: readonly Pick<NewEvent, "eventData">[]): string[] {
  const found = new Set<string>();
  for (const { eventData } of events) {
    if (!isJsonObject(eventData)) continue;
    const { artifacts: _, ...read } = eventData;
    collect(read, found);
  }
  return [...found];
}

function collect(value: Json, found: Set<string>): void {
  if (typeof value === "string") {
    if (artifactIdOf(value) !== null) found.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collect(part, found);
  }
}
