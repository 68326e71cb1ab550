import type { Json } from "@runledger/contracts";
import type { ServerConfig } from "./server-config.js";
import type { WorkerOptions } from "../engine/worker.js";

/** What a project says about itself in `runledger.config.ts`. */
export interface RunledgerConfig {
  /** Where its workflows are: patterns, relative to the file. Every workflow that such a module exports is found. */
  readonly workflows: readonly string[];
  /** Where runs are kept. `--store` and RUNLEDGER_STORE come first. */
  readonly store?: string;
  /** What its workers are told, runners of kinds of its own among it. */
  readonly worker?: Omit<WorkerOptions, "workflows">;
  /** What `runledger serve` is told. */
  readonly server?: ServerConfig;
  /** Runs that `dev` starts once in a store, so that there is something to see. */
  readonly samples?: readonly SampleRun[];
}

export interface SampleRun {
  /** One run per name and store. */
  readonly name: string;
  /** A workflow's id. */
  readonly workflow: string;
  readonly input?: Json;
  /** Sent at once, such as APPROVE. */
  readonly actions?: readonly string[];
  /** Sent at once, by name; kept until the run waits for them. */
  readonly signals?: Readonly<Record<string, Json>>;
  /** What there is to see, in a few words. */
  readonly shows?: string;
}

/** Gives the configuration back as it is: the editor knows its type. */
export function defineConfig(config: RunledgerConfig): RunledgerConfig {
  return config;
}
