/** The messages to and from a worker process. */
import { writeSync } from "node:fs";
import type { WorkerFault } from "./planned-faults.js";

export interface WorkerSettings {
  readonly url: string;
  readonly name: string;
  /** File for its log, one JSON line per action. */
  readonly journal: string;
  /** Folder with one file per idempotency key. */
  readonly charges: string;
  /** `null` if it runs until it receives SIGTERM. */
  readonly fault: WorkerFault | null;
  readonly leaseMs: number;
}

/** Writes synchronously: a process that stops itself cannot write later. */
export function writeLine(line: string): void {
  writeSync(1, `${line}\n`);
}
