import type { PlanStep } from "@runledger/contracts";
import type { Closures } from "../workflow/compiled-workflow.js";
import { FatalStepError } from "./step-errors.js";

export interface Task {
  readonly step: PlanStep;
  readonly closures: Closures;
  /** What the step's handler gets. */
  readonly context: Readonly<Record<string, unknown>> & { readonly signal: AbortSignal };
}

/** Does the work of one kind of step, and gives back its output. */
export type Runner = (task: Task) => Promise<unknown>;

export class Runners {
  readonly #byKind: ReadonlyMap<string, Runner>;

  constructor(own: Readonly<Record<string, Runner>> = {}) {
    this.#byKind = new Map(Object.entries({ function: runFunction, ...own }));
  }

  async run(task: Task): Promise<unknown> {
    const runner = this.#byKind.get(task.step.kind);
    if (runner === undefined)
      throw new FatalStepError("NO_RUNNER", `This worker runs no steps of kind ${task.step.kind}.`);
    return runner(task);
  }
}

const runFunction: Runner = async ({ closures, context }) => closures.run?.(context as never);
