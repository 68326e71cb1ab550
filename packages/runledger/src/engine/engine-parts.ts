import type { Json } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import type { RunFacts } from "./run-facts.js";
import type { Runners } from "./runners.js";

/** Time as the engine sees it; a test may turn it by hand. */
export interface Timers {
  /** Milliseconds since 1970, by this machine's clock. */
  now(): number;
  /** Gives back what takes it back. */
  after(ms: number, run: () => void): () => void;
}

export const realTimers: Timers = {
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve));
}

/** What all drivers of a worker share. */
export interface EngineParts {
  readonly workerId: string;
  readonly runners: Runners;
  readonly timers: Timers;
  readonly children: Children;
}

export interface Children {
  /** Starts the child of this step's attempt, or finds the one that was started, and gives its run's id (D9). */
  start(
    facts: RunFacts,
    child: {
      readonly stepId: string;
      readonly attempt: number;
      readonly path: string;
      readonly input: Json | undefined;
    },
  ): Promise<string>;
  /** How the child's end shows in its parent; null = it has not ended. */
  outcome(childRunId: string, step: { readonly stepId: string; readonly attempt: number }): Promise<EventDraft | null>;
  cancel(childRunId: string): Promise<void>;
}
