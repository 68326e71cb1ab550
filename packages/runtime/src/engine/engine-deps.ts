import type { Json } from "@runledger/contracts";
import type { RunDetails } from "@runledger/core";
import type { Timers } from "../time/timers.js";
import type { NewDecider } from "./decider.js";
import type { Isolation } from "./isolation.js";
import type { RunContext } from "./run-context.js";
import type { Runners } from "./runners.js";

/** The dependencies that all drivers of a worker share. Tests replace some of them. */
export interface EngineDeps {
  readonly workerId: string;
  readonly runners: Runners;
  readonly timers: Timers;
  readonly children: Children;
  readonly newDecider: NewDecider;
  readonly isolation: Isolation;
}

/** The status of a child, as its parent sees it. */
export type ChildOutcome = "absent" | "running" | { readonly output: Json } | { readonly message: string };

export interface Children {
  /** Starts the child of this attempt. Repeated calls start it once (D9). */
  start(
    context: RunContext,
    child: {
      readonly stepId: string;
      readonly attempt: number;
      readonly path: string;
      readonly input: Json | undefined;
      /** The child inherits these from its parent. */
      readonly place: Pick<RunDetails, "tenantId" | "projectId" | "environmentId" | "priority">;
    },
  ): Promise<void>;
  outcome(childRunId: string): Promise<ChildOutcome>;
  cancel(childRunId: string): Promise<void>;
}
