import type { CodeOf } from "./codes.js";
import { InputError } from "./families.js";

/** One thing that is wrong with a definition. */
export interface PlanProblem {
  readonly code: CodeOf<"fix-input">;
  /** The path of the step; empty = the workflow itself. */
  readonly step: string;
  /** What is wrong and what to do about it. */
  readonly message: string;
  /** `file:line:column`, where the definition came from a file. */
  readonly origin?: string;
}

/** A definition that cannot become a plan. Says everything that is wrong with it at once. */
export class PlanError extends InputError {
  constructor(
    readonly workflowId: string,
    readonly problems: readonly [PlanProblem, ...PlanProblem[]],
  ) {
    const lines = problems.map(toLine);
    super(problems[0].code, `workflow ${workflowId}`, lines.length === 1 ? lines[0]! : `\n  ${lines.join("\n  ")}`);
  }
}

/** `plan.yaml:14:3 PLAN_CYCLE load: waits for itself …` */
function toLine({ code, step, message, origin }: PlanProblem): string {
  const place = [origin, code, step].filter((part) => part !== undefined && part !== "");
  return `${place.join(" ")}: ${message}`;
}
