/** Runs a projector in its own process and reads the metrics it prints. */
import { readFileSync } from "node:fs";
import { startProgram, type Running } from "@runledger/test-support/runledger-command";

export function startProjector(url: string, ...args: readonly string[]): Running {
  return startProgram({ cwd: process.cwd() }, "tests/projector/projector-program.mjs", url, ...args);
}

interface Said {
  readonly partitions: readonly number[];
  /** By name without `runledger_`, plus labels. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** The last complete line. */
export function said({ output }: Running): Said {
  const lines = output.split("\n").filter((line) => line.startsWith(`{"partitions"`) && line.endsWith("}}"));
  return JSON.parse(lines.at(-1) ?? `{"partitions":[],"metrics":{}}`) as Said;
}

/** The process state as the system reports it. */
export function isStopped({ pid }: Running): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}
