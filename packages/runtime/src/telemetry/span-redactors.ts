/** The redactors of the workers in this process. Spans that their steps create are exported by the process (S1). */
import type { Redacts } from "./redacted-logger.js";

const redactors = new Set<Redacts>();

/** Returns a function that stops it. */
export function redactSpansWith(redactor: Redacts): () => void {
  redactors.add(redactor);
  return () => void redactors.delete(redactor);
}

export function spanRedactors(): Iterable<Redacts> {
  return redactors;
}
