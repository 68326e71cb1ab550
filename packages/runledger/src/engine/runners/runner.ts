import type { PlanStep } from "@runledger/contracts";
import type { Closures } from "../../workflow/compiled-workflow.js";
import type { StepContext } from "../step-context.js";
import type { StepLog } from "../step-log.js";

export interface Task {
  readonly step: PlanStep;
  readonly closures: Closures;
  /** What the step's handler gets. */
  readonly context: StepContext;
  /** Where the lines go that a program prints. */
  readonly log: StepLog;
  /** True = the workflow came over HTTP. */
  readonly isPublished?: boolean;
  /** Throws for an address that the step may not ask, be it by the word of another server. */
  readonly mayAsk?: (url: URL) => void;
}

/** Does the work of one kind of step, and gives back its output. */
export type Runner = (task: Task) => Promise<unknown>;

/**
 * What a step is told: the data of its plan, and over it what its closure returned. A closure may give the one part
 * that is worth computing by itself: an array stands for the part called `main`.
 */
export async function toldTo<Options extends object>(
  { step, closures, context }: Task,
  main: string,
): Promise<Options> {
  const answer = await closures.options?.(context as never);
  const computed = Array.isArray(answer) ? { [main]: answer } : (answer as object | undefined);
  return { ...(step.options as object | undefined), ...computed } as Options;
}
