/**
 * A run begun at a step of another one (D7). What it keeps is on record in its own log, in the transaction that starts
 * it: from there on it is a run like any other, and its origin may go on, be archived, or be forked again.
 */
import type { FullStateStore, StepRange } from "@runledger/contracts";
import { compactSteps } from "@runledger/core";
import { planFork, type ForkOptions, type ForkPlan } from "./fork-plan.js";
import { keptEvents } from "./kept-events.js";
import { queueRun, type StartedRun } from "./start-run.js";

/** What a fork would keep, and what it would run. */
export interface ForkPreview {
  readonly runId: string;
  /** How far the run had come. */
  readonly seq: number;
  readonly workflow: string;
  readonly version: string;
  readonly kept: readonly StepRange[];
  /** Containers that go on with what their closures once returned. */
  readonly goesOn: readonly StepRange[];
  /** As far as it is known: what is in a container that is still to be opened is not. */
  readonly runs: readonly StepRange[];
}

export function previewOf({ origin, plan, scope }: ForkPlan): ForkPreview {
  const isDone = new Set([...scope.kept, ...scope.whole.keys()]);
  return {
    runId: origin.runId,
    seq: origin.seq,
    workflow: plan.planId,
    version: plan.planVersion,
    kept: compactSteps([...isDone]),
    goesOn: compactSteps(scope.opened.filter((stepId) => !isDone.has(stepId))),
    runs: compactSteps(scope.anew),
  };
}

export async function forkRun(
  store: FullStateStore,
  runId: string,
  options: ForkOptions,
): Promise<StartedRun & { readonly fork: ForkPlan }> {
  const fork = await planFork(store, runId, options);
  const { plan, input, initialState, origin, state } = fork;
  const { tenantId, projectId, environmentId, priority = 0, labels } = state.details;
  const place = {
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
    ...(labels === undefined ? {} : { labels }),
    priority,
  };
  const { from: _, version: __, input: ___, ...own } = options;
  const seed = { plan, input, initialState, fork: { origin, kept: await keptEvents(store, fork) } };
  return { ...(await queueRun(store, seed, { ...place, ...own })), fork };
}
