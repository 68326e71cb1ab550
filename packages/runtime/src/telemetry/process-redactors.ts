/** The redactors of the workers in this process, for data that no single worker handles: spans, output and command lines (S1). */
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

/** Returns the same value if nothing was replaced. */
export function redactJson<T>(value: T): T {
  return [...redactors].reduce((clean, redactor) => redactor.json(clean), value as Json) as T;
}
