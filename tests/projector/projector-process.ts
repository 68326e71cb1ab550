/** A projector in a process of its own, and what it says of itself. */
import { readFileSync } from "node:fs";
import { startProgram, type Running } from "../support/runledger-command.js";

export function startProjector(url: string, ...args: readonly string[]): Running {
  return startProgram({ cwd: process.cwd() }, "tests/projector/projector-program.mjs", url, ...args);
}

interface Said {
  readonly partitions: readonly number[];
  /** By name without `runledger_`, and labels. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** The last line that is whole. */
export function said({ output }: Running): Said {
  const lines = output.split("\n").filter((line) => line.startsWith(`{"partitions"`) && line.endsWith("}}"));
  return JSON.parse(lines.at(-1) ?? `{"partitions":[],"metrics":{}}`) as Said;
}

/** As the system sees it. */
export function isStopped({ pid }: Running): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}
