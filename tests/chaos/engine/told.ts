/** What a worker's process is told, and what it says. */
import { writeSync } from "node:fs";
import type { WorkerFate } from "./fates.js";

export interface Told {
  readonly url: string;
  readonly name: string;
  /** Where it writes down what it does, a line of JSON each. */
  readonly journal: string;
  /** The folder of what was done once per idempotency key. */
  readonly charges: string;
  /** Null = it lives until it is asked to stop. */
  readonly fate: WorkerFate | null;
  readonly leaseMs: number;
}

/** At once: a process that stops itself says nothing later. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}
