/** The redactors of the workers in this process, for data that no single worker handles: spans, output and command lines (S1). */
import { inspect, type InspectOptions } from "node:util";
import type { Json } from "@runledger/contracts";
import type { Redacts } from "./redacted-logger.js";

export interface ProcessRedactor extends Redacts {
  /** Returns a redactor of all their secrets. One after the other would leave the rest of a secret that contains another. */
  joined(others: readonly ProcessRedactor[]): Redacts;
}

const redactors = new Set<ProcessRedactor>();

/** Returns a function that removes it. */
export function addProcessRedactor(redactor: ProcessRedactor): () => void {
  redactors.add(redactor);
  return () => void redactors.delete(redactor);
}

function redactorOfAll(): Redacts | undefined {
  const [first, ...others] = redactors;
  return others.length === 0 ? first : first?.joined(others);
}

export function redactText(text: string): string {
  return redactorOfAll()?.text(text) ?? text;
}

/** Shows a value that is not a text. Redacts it before, because a secret that is encoded twice is not found. */
export function inspectRedacted(value: unknown, options: InspectOptions = {}): string {
  return inspect(redactAny(value), { breakLength: Infinity, maxStringLength: null, ...options });
}

/** A larger value is not copied: its text is redacted. A socket or the rows of a file reach very many objects. */
const MAX_PARTS = 10_000;

/** Redacts any value but an error, which is more than its properties. A getter may throw. */
export function redactAny(value: unknown): unknown {
  if (value instanceof Error) return value;
  try {
    return isSmall(value) ? redactJson(value) : value;
  } catch {
    return value;
  }
}

function isSmall(value: unknown): boolean {
  const seen = new Set<object>();
  const queue = [value];
  for (const next of queue) {
    if (typeof next !== "object" || next === null || ArrayBuffer.isView(next) || seen.has(next)) continue;
    seen.add(next);
    const parts: unknown[] = Object.values(next);
    if (queue.length + parts.length > MAX_PARTS) return false;
    queue.push(...parts);
  }
  return true;
}

/** Returns the same value if nothing was replaced. */
export function redactJson<T>(value: T): T {
  const redactor = redactorOfAll();
  return redactor === undefined ? value : (redactor.json(value as Json) as T);
}
