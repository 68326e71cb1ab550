/** The redactors of the workers in this process, for data that no single worker handles: spans, output and command lines (S1). */
import { inspect, type InspectOptions } from "node:util";
import type { Json } from "@runledger/contracts";
import type { Redacts } from "./redacted-logger.js";

const redactors = new Set<Redacts>();

/** Returns a function that removes it. */
export function addProcessRedactor(redactor: Redacts): () => void {
  redactors.add(redactor);
  return () => void redactors.delete(redactor);
}

export function redactText(text: string): string {
  return [...redactors].reduce((clean, redactor) => redactor.text(clean), text);
}

/** Shows a value that is not a text. Redacts it before, because a secret that is encoded twice is not found. */
export function inspectRedacted(value: unknown, options: InspectOptions = {}): string {
  return inspect(redactAny(value), { breakLength: Infinity, maxStringLength: null, ...options });
}

/** Redacts any value but an error, which is more than its properties. A getter may throw. */
export function redactAny(value: unknown): unknown {
  if (value instanceof Error) return value;
  try {
    return redactJson(value);
  } catch {
    return value;
  }
}

/** Returns the same value if nothing was replaced. */
export function redactJson<T>(value: T): T {
  return [...redactors].reduce((clean, redactor) => redactor.json(clean), value as Json) as T;
}
