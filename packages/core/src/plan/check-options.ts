import { builtInKinds, type PlanProblem } from "@runledger/contracts";
import { problem } from "./check-ids.js";
import type { Definition, DefinitionStep } from "./definition.js";
import { parseDuration } from "./duration.js";
import type { LocatedStep } from "./located-step.js";

/** The runners that come with Runledger. */
const RUNNERS = ["function", "command", "sql", "http"];
const BODIES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  when: [1, 2],
  forEach: [1, 1],
  repeat: [1, 1],
};

export function* checkOptions(
  definition: Definition,
  steps: readonly LocatedStep[],
  kinds: readonly string[],
): Generator<PlanProblem> {
  const known = new Set<string>([...builtInKinds, ...RUNNERS, ...kinds]);
  if (definition.deadline !== undefined && parseDuration(definition.deadline) === null) {
    yield { code: "PLAN_OPTION_INVALID", step: "", message: `deadline is no duration; write it as in "10m".` };
  }
  for (const located of steps) {
    for (const message of faults(located.step)) yield problem(located, "PLAN_OPTION_INVALID", message);
    if (known.has(located.step.kind)) continue;
    const message = `is of kind ${located.step.kind}, which nobody runs. Known are ${[...known].join(", ")}.`;
    yield problem(located, "PLAN_UNKNOWN_KIND", message);
  }
}

function* faults(step: DefinitionStep): Generator<string> {
  const { retry } = step;
  const durations = {
    timeout: step.timeout,
    delay: step.delay,
    for: step.for,
    "retry.delay": retry?.delay,
    "retry.maxDelay": retry?.maxDelay,
  };
  for (const [name, text] of Object.entries(durations)) {
    if (text !== undefined && parseDuration(text) === null) yield `${name} is no duration; write it as in "10m".`;
  }
  if (retry !== undefined && !isCount(retry.attempts)) yield "retry.attempts must be a whole number from 1.";
  if (retry?.factor !== undefined && !(retry.factor >= 1)) yield "retry.factor must be at least 1.";
  if (step.concurrency !== undefined && !isCount(step.concurrency)) yield "concurrency must be a whole number from 1.";
  if (step.kind === "repeat" && !isCount(step.max)) yield "max must be a whole number from 1.";
  if (step.kind === "wait" && !step.signal) yield "signal must name what is waited for.";
  if (step.kind === "child" && step.child === undefined) yield "child must name a workflow.";
  const [least, most] = BODIES[step.kind] ?? [0, 0];
  const bodies = step.bodies?.length ?? 0;
  if (bodies < least || bodies > most) yield `has ${bodies} bodies; a ${step.kind} has ${least} to ${most}.`;
}

function isCount(value: number | undefined): boolean {
  return Number.isSafeInteger(value) && value! >= 1;
}
