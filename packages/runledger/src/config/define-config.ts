import type { WorkerOptions } from "../engine/worker.js";

/** What a project says about itself in `runledger.config.ts`. */
export interface RunledgerConfig {
  /** Where its workflows are: patterns, relative to the file. Every workflow that such a module exports is found. */
  readonly workflows: readonly string[];
  /** Where runs are kept. `--store` and RUNLEDGER_STORE come first. */
  readonly store?: string;
  /** What its workers are told, runners of kinds of its own among it. */
  readonly worker?: Omit<WorkerOptions, "workflows">;
}

/** Gives the configuration back as it is: the editor knows its type. */
export function defineConfig(config: RunledgerConfig): RunledgerConfig {
  return config;
}
