/**
 * Starts a run from a step of another run (D7). The transaction that starts it also records the kept steps in its own log.
 * From then on it is an ordinary run; its origin may continue, be archived, or be forked again.
 */
import { omitUndefined, type FullStateStore, type StepRange } from "@runledger/contracts";
import { compactSteps } from "@runledger/core";
import { planFork, type ForkOptions, type ForkPlan } from "./fork-plan.js";
import { keptEvents } from "./kept-events.js";
import { queueRun, type StartedRun } from "./start-run.js";

/** The steps that a fork would keep and run. */
export interface ForkPreview {
  readonly runId: string;
  /** The origin's last seq. */
  readonly seq: number;
  readonly workflow: string;
  readonly version: string;
  readonly kept: readonly StepRange[];
  /** Containers that continue with the recorded results of their closures. */
  readonly goesOn: readonly StepRange[];
  /** As far as known: the steps of an unopened container are not. */
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
  const { tenantId, projectId, environmentId, priority = 0, concurrencyKey, labels } = state.details;
  const place = {
    ...omitUndefined({ tenantId, projectId, environmentId, concurrencyKey, labels }),
    priority,
  };
  const { from: _, version: __, input: ___, ...own } = options;
  const seed = { plan, input, initialState, fork: { origin, kept: await keptEvents(store, fork) } };
  return { ...(await queueRun(store, seed, { ...place, ...own })), fork };
}
