import { builtInKinds, compensateOnValues, type PlanProblem } from "@runledger/contracts";
import { datasetFaults } from "./check-datasets.js";
import type { Definition, DefinitionStep } from "./definition.js";
import { parseDuration } from "../duration.js";
import type { LocatedStep } from "./located-step.js";
import { problem, problemAt } from "./problems.js";

/** The runners that come with Runledger. */
const RUNNERS = ["function", "command", "sql", "http"];

export function* checkOptions(
  definition: Definition,
  steps: readonly LocatedStep[],
  kinds: readonly string[],
): Generator<PlanProblem> {
  const runners = new Set([...RUNNERS, ...kinds]);
  if (definition.deadline !== undefined && parseDuration(definition.deadline) === null) {
    yield problemAt(definition, "", "PLAN_OPTION_INVALID", `deadline ${NO_DURATION}`, "deadline");
  }
  const unknown = definition.compensateOn?.find((value) => !compensateOnValues.includes(value));
  if (unknown !== undefined) {
    const message = `compensateOn has the unknown value ${unknown}. Use ${compensateOnValues.join(" and ")}.`;
    yield problemAt(definition, "", "PLAN_OPTION_INVALID", message, "compensateOn");
  }
  for (const located of steps) {
    const { step } = located;
    if (!runners.has(step.kind) && !isBuiltIn(step.kind)) {
      const known = [...builtInKinds, ...runners].join(", ");
      yield problem(
        located,
        "PLAN_UNKNOWN_KIND",
        `has the unknown kind ${step.kind}. Use one of ${known}, or register a runner for it.`,
        "kind",
      );
      continue;
    }
    for (const [at, message] of faults(step)) yield problem(located, "PLAN_OPTION_INVALID", message, at);
  }
}

type Fault = readonly [at: string, message: string];
const NO_DURATION = `is not a duration of at most 36500d. Write it like "10m".`;
const NO_COUNT = "must be a whole number from 1.";

function* faults(step: DefinitionStep): Generator<Fault> {
  yield* misplaced(step);
  yield* durations(step);
  if (step.datasets !== undefined) yield* datasetFaults(step.datasets);
  const { retry, kind } = step;
  if (retry !== undefined && !isCount(retry.attempts)) yield ["retry.attempts", `retry.attempts ${NO_COUNT}`];
  if (retry?.factor !== undefined && !(retry.factor >= 1)) yield ["retry.factor", "retry.factor must be at least 1."];
  if (step.concurrency !== undefined && !isCount(step.concurrency)) yield ["concurrency", `concurrency ${NO_COUNT}`];
  if (kind === "repeat" && !isCount(step.max)) yield ["max", `max ${NO_COUNT}`];
  if (kind === "wait" && !isText(step.signal)) yield ["signal", "signal must be the name of the signal to wait for."];
  if (kind === "child" && step.child === undefined) yield ["child", "child must name a workflow."];
  if (step.settle === true && step.continueOnFailure === true) {
    yield ["settle", "settle and continueOnFailure contradict each other. Keep one of them."];
  }
  if (step.onTimeout !== undefined && step.timeout === undefined) {
    yield ["onTimeout", "onTimeout has no effect without a timeout. Add a timeout or remove onTimeout."];
  }
  const [least, most] = BODIES[kind] ?? [0, 0];
  const bodies = step.bodies?.length ?? 0;
  if (bodies < least || bodies > most) yield ["bodies", `has ${bodies} bodies; a ${kind} has ${least} to ${most}.`];
}

function* durations(step: DefinitionStep): Generator<Fault> {
  const written = {
    timeout: step.timeout,
    delay: step.delay,
    for: step.for,
    "retry.delay": step.retry?.delay,
    "retry.maxDelay": step.retry?.maxDelay,
  };
  for (const [at, text] of Object.entries(written)) {
    if (text !== undefined && parseDuration(text) === null) yield [at, `${at} ${NO_DURATION}`];
  }
}

const BODIES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  when: [1, 2],
  forEach: [1, 1],
  repeat: [1, 1],
};

/** Options that only some kinds of steps have. `work` stands for every step that a runner runs. */
const HOMES = {
  retry: ["work", "child"],
  compensate: ["work"],
  datasets: ["work"],
  concurrency: ["forEach"],
  max: ["repeat"],
  delay: ["repeat"],
  signal: ["wait"],
  onTimeout: ["wait"],
  for: ["sleep"],
  child: ["child"],
} as const satisfies Partial<Record<keyof DefinitionStep, readonly string[]>>;

/** Reports options without effect. */
function* misplaced(step: DefinitionStep): Generator<Fault> {
  const home = isBuiltIn(step.kind) ? step.kind : "work";
  for (const [at, homes] of Object.entries(HOMES)) {
    if (step[at as keyof typeof HOMES] === undefined || (homes as readonly string[]).includes(home)) continue;
    const hint = step.bodies === undefined ? "Remove it." : "Set it on the steps inside.";
    yield [at, `${at} has no effect on a ${step.kind}. ${hint}`];
  }
}

function isBuiltIn(kind: string): boolean {
  return (builtInKinds as readonly string[]).includes(kind);
}

function isCount(value: number | undefined): boolean {
  return Number.isSafeInteger(value) && value! >= 1;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
