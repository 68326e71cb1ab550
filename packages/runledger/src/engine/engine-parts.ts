import type { Json } from "@runledger/contracts";
import type { RunDetails } from "@runledger/core";
import type { NewDecider } from "./foresight.js";
import type { RunFacts } from "./run-facts.js";
import type { Runners } from "./runners.js";
import type { Timers } from "../time/timers.js";

export { pause, realTimers, type Timers } from "../time/timers.js";

/** What all drivers of a worker share. A test may put others in their place. */
export interface EngineParts {
  readonly workerId: string;
  readonly runners: Runners;
  readonly timers: Timers;
  readonly children: Children;
  readonly newDecider: NewDecider;
}

/** How a child stands, as its parent sees it. */
export type ChildOutcome = "absent" | "running" | { readonly output: Json } | { readonly message: string };

export interface Children {
  /** Starts the child of this step's attempt; once, however often it is asked (D9). */
  start(
    facts: RunFacts,
    child: {
      readonly stepId: string;
      readonly attempt: number;
      readonly path: string;
      readonly input: Json | undefined;
      /** Where its parent is, the child is too. */
      readonly place: Pick<RunDetails, "tenantId" | "projectId" | "environmentId" | "priority">;
    },
  ): Promise<void>;
  outcome(childRunId: string): Promise<ChildOutcome>;
  cancel(childRunId: string): Promise<void>;
}
