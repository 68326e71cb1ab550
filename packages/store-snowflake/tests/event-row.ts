import type { CanonicalEngineEvent } from "@runledger/contracts";

/** A row of RUN_EVENTS as OBJECT_CONSTRUCT(*) returns it: by column, without NULLs. */
export function eventRow(event: CanonicalEngineEvent): Record<string, unknown> {
  const columns = Object.entries(event).map(([field, value]: [string, unknown]): [string, unknown] => [
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    value,
  ]);
  return { ...Object.fromEntries(columns), EMITTED_AT: event.emittedAt.replace("T", " ").replace("Z", "") };
}
