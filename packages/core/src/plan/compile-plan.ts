import {
  PlanError,
  sha256Hex,
  type Plan,
  type PlanBody,
  type PlanProblem,
  type PlanStep,
  type RetryPolicy,
} from "@runledger/contracts";
import { canonicalJson } from "./canonical-json.js";
import { checkIds } from "./check-ids.js";
import { checkOptions } from "./check-options.js";
import { checkReferences } from "./check-references.js";
import type { Definition, DefinitionBody, DefinitionRetry, DefinitionStep, Duration } from "./definition.js";
import { parseDuration } from "./duration.js";
import { findCycles } from "./find-cycle.js";
import { locateSteps } from "./located-step.js";

export interface CompileOptions {
  /** Runner kinds of the user's own. */
  readonly kinds?: readonly string[];
  /** Checks what an expression language wrote into options, so that this package needs to know none. */
  readonly expressions?: (definition: Definition) => readonly PlanProblem[];
}

/** A definition as a plan, or everything that is wrong with it. Pure: the same definition gives the same hash (D7). */
export function compilePlan(definition: Definition, options: CompileOptions = {}): Plan {
  const steps = locateSteps(definition);
  const problems = [
    ...checkIds(definition, steps),
    ...checkOptions(definition, steps, options.kinds ?? []),
    ...checkReferences(definition, steps),
    ...findCycles(steps),
    ...(options.expressions?.(definition) ?? []),
  ];
  const [first, ...rest] = problems;
  if (first !== undefined) throw new PlanError(definition.id, [first, ...rest]);
  const content = {
    planId: definition.id,
    body: toBody(definition.body),
    deadlineMs: definition.deadline === undefined ? null : milliseconds(definition.deadline),
    approval: definition.approval ?? false,
  };
  const planVersion = definition.version ?? `dev-${sha256Hex(canonicalJson(content)).slice(0, 12)}`;
  return { ...content, planVersion, hash: sha256Hex(canonicalJson({ ...content, planVersion })) };
}

function toBody({ steps, output }: DefinitionBody): PlanBody {
  return { steps: steps.map(toStep), output: (output as string | undefined) ?? null };
}

/** Passes of a forEach that are open at a time, unless it says otherwise: no run takes a worker's memory for itself. */
const DEFAULT_CONCURRENCY = 100;

const COPIED = ["continueOnFailure", "compensate", "options", "max", "signal", "onTimeout", "child"] as const;

function toStep(step: DefinitionStep): PlanStep {
  const copied = Object.fromEntries(
    COPIED.filter((name) => step[name] !== undefined).map((name) => [name, step[name]]),
  );
  return {
    id: step.id,
    kind: step.kind,
    needs: (step.needs ?? {}) as Readonly<Record<string, string>>,
    after: (step.after ?? []) as readonly string[],
    ...copied,
    ...(step.kind === "forEach" ? { concurrency: step.concurrency ?? DEFAULT_CONCURRENCY } : {}),
    ...(step.retry === undefined ? {} : { retry: toRetry(step.retry) }),
    ...(step.timeout === undefined ? {} : { timeoutMs: milliseconds(step.timeout) }),
    ...(step.delay === undefined ? {} : { delayMs: milliseconds(step.delay) }),
    ...(step.for === undefined ? {} : { forMs: milliseconds(step.for) }),
    ...(step.bodies === undefined ? {} : { bodies: step.bodies.map(toBody) }),
  };
}

function toRetry({ attempts, delay = "1s", factor = 2, maxDelay = "5m", unless = [] }: DefinitionRetry): RetryPolicy {
  return { attempts, delayMs: milliseconds(delay), factor, maxDelayMs: milliseconds(maxDelay), unless };
}

/** Checked before. */
function milliseconds(duration: Duration): number {
  return parseDuration(duration)!;
}
