import {
  omitUndefined,
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
import { checkPartitions } from "./check-partitions.js";
import { checkReferences } from "./check-references.js";
import { toDatasets } from "./definition-datasets.js";
import type { Definition, DefinitionBody, DefinitionRetry, DefinitionStep, Duration } from "./definition.js";
import { parseDuration } from "../duration.js";
import { findCycles } from "./find-cycle.js";
import { locateSteps } from "./located-step.js";

export interface CompileOptions {
  /** Custom runner kinds. */
  readonly kinds?: readonly string[];
  /** Checks the expressions in options, so that this package depends on no expression language. */
  readonly expressions?: (definition: Definition) => readonly PlanProblem[];
}

/** Compiles a definition, or throws all of its problems. Pure: the same definition gives the same hash (D7). */
export function compilePlan(definition: Definition, options: CompileOptions = {}): Plan {
  const steps = locateSteps(definition);
  const problems = [
    ...checkIds(definition, steps),
    ...checkOptions(definition, steps, options.kinds ?? []),
    ...checkPartitions(definition),
    ...checkReferences(definition, steps),
    ...findCycles(steps),
    ...(options.expressions?.(definition) ?? []),
  ];
  const [first, ...rest] = problems;
  if (first !== undefined) throw new PlanError(definition.id, [first, ...rest]);
  const content = {
    planId: definition.id,
    body: toBody(definition.body),
    deadlineMs: milliseconds(definition.deadline) ?? null,
    approval: definition.approval ?? false,
    ...omitUndefined({
      compensateOn: definition.compensateOn,
      partitions: definition.partitions && omitUndefined(definition.partitions),
      onFailure: definition.onFailure && toStep(definition.onFailure),
    }),
  };
  const planVersion = definition.version ?? `dev-${sha256Hex(canonicalJson(content)).slice(0, 12)}`;
  return { ...content, planVersion, hash: sha256Hex(canonicalJson({ ...content, planVersion })) };
}

function toBody({ steps, output }: DefinitionBody): PlanBody {
  return { steps: steps.map(toStep), output: (output as string | undefined) ?? null };
}

/** Default number of open passes of a forEach. It keeps one run from using up a worker's memory. */
const DEFAULT_CONCURRENCY = 100;

function toStep(step: DefinitionStep): PlanStep {
  const { id, kind, needs = {}, after = [], retry, bodies } = step;
  const { continueOnFailure, settle, compensate, compensateWith, options, max, signal, onTimeout, child } = step;
  return {
    id,
    kind,
    needs: needs as Readonly<Record<string, string>>,
    after: after as readonly string[],
    ...omitUndefined({ continueOnFailure, settle, compensate, compensateWith, options, max, signal, onTimeout, child }),
    ...omitUndefined({
      concurrency: kind === "forEach" ? (step.concurrency ?? DEFAULT_CONCURRENCY) : undefined,
      retry: retry && toRetry(retry),
      timeoutMs: milliseconds(step.timeout),
      delayMs: milliseconds(step.delay),
      forMs: milliseconds(step.for),
      bodies: bodies?.map(toBody),
      datasets: step.datasets && toDatasets(step.datasets),
    }),
  };
}

function toRetry({ attempts, delay = "1s", factor = 2, maxDelay = "5m", unless = [] }: DefinitionRetry): RetryPolicy {
  return { attempts, delayMs: milliseconds(delay)!, factor, maxDelayMs: milliseconds(maxDelay)!, unless };
}

/** Expects a duration that was checked before. */
function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration)!;
}
