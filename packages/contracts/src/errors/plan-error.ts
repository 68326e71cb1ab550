import type { CodeOf } from "./codes.js";
import { InputError } from "./families.js";

/** One problem of a workflow definition. */
export interface PlanProblem {
  readonly code: CodeOf<"fix-input">;
  /** Path of the step. Empty if the problem concerns the workflow itself. */
  readonly step: string;
  /** Describes the problem and how to fix it. */
  readonly message: string;
  /** `file:line:column`. Absent if the definition did not come from a file. */
  readonly origin?: string;
}

/** A definition that cannot be compiled. Reports all of its problems at once. */
export class PlanError extends InputError {
  constructor(
    readonly workflowId: string,
    readonly problems: readonly [PlanProblem, ...PlanProblem[]],
  ) {
    const lines = problems.map(toLine);
    super(problems[0].code, `workflow ${workflowId}`, lines.length === 1 ? lines[0]! : `\n  ${lines.join("\n  ")}`);
  }
}

/** Renders `plan.yaml:14:3 PLAN_CYCLE load: waits for itself …` */
function toLine({ code, step, message, origin }: PlanProblem): string {
  const place = [origin, code, step].filter((part) => part !== undefined && part !== "");
  return `${place.join(" ")}: ${message}`;
}
