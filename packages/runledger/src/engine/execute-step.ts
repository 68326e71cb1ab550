/** One attempt of a step, from its closure to the event that says how it ended. */
import { StopError, type ArtifactRef, type JsonObject } from "@runledger/contracts";
import { indexPlan, UNDO, type EventDraft, type RunState, type StepCommand } from "@runledger/core";
import { orAborted } from "./abort.js";
import { outputOf } from "./outputs.js";
import { insist } from "./patience.js";
import type { RunFacts } from "./run-facts.js";
import type { Runners } from "./runners.js";
import { openAttempt, type Attempt } from "./step-context.js";
import { retryAfterOf, toRunError } from "./step-errors.js";
import { stepFailed } from "./step-failed.js";
import { scopeOf, sourceOf, type StepScope } from "./step-scope.js";

/** How many references a failure carries: it must fit into an event whatever the step did. */
const MAX_ARTIFACTS = 20;

export async function executeStep(
  facts: RunFacts,
  runners: Runners,
  state: RunState,
  command: StepCommand,
  signal: AbortSignal,
): Promise<EventDraft> {
  const { stepId, attempt } = command;
  const opened = openAttempt(facts, runners, state, command, signal);
  let isUnderWay = false;
  try {
    const scope = await insist(runners.timers, signal, () => readScope(facts, state, stepId));
    isUnderWay = true;
    const output = await work(facts, runners, command, opened, scope);
    const data = { output: output ?? null, ...(await opened.end()) } as unknown as JsonObject;
    return { eventType: "StepCompleted", stepId, attempt, data };
  } catch (thrown) {
    if (!isUnderWay && thrown instanceof StopError) throw thrown; // the store's fault, not the step's
    const reason: unknown = signal.aborted ? signal.reason : thrown;
    const more = { ...(await leftBehind(opened)), retryAfterMs: retryAfterOf(reason) };
    return stepFailed(facts, state, command, toRunError(reason), more);
  }
}

/** The log of an attempt that failed is worth a try; where the store does not take it, the failure comes without. */
async function leftBehind(opened: Attempt): Promise<{ artifacts?: readonly ArtifactRef[] }> {
  const { artifacts } = await opened.end().catch(() => ({ artifacts: undefined }));
  return artifacts === undefined ? {} : { artifacts: artifacts.slice(-MAX_ARTIFACTS) };
}

/** What undoes a step reads what the step read, and what it gave back. */
async function readScope(facts: RunFacts, state: RunState, stepId: string): Promise<StepScope> {
  if (!stepId.startsWith(UNDO)) return scopeOf(facts, state, stepId);
  const original = stepId.slice(UNDO.length);
  const output = await outputOf(sourceOf(facts), state, original);
  return { ...(await scopeOf(facts, state, original)), output };
}

async function work(
  facts: RunFacts,
  runners: Runners,
  { stepId, path }: StepCommand,
  { context, log }: Attempt,
  scope: StepScope,
): Promise<unknown> {
  const step = indexPlan(facts.workflow.plan).get(path)!;
  const closures = facts.workflow.closures.get(path) ?? {};
  const { isPublished = false } = facts.workflow;
  const task = { step, closures, context: Object.assign(context, scope), log, isPublished };
  if (!stepId.startsWith(UNDO)) return runners.run(task);
  const undo = async (): Promise<unknown> => closures.compensate?.(task.context as never);
  return orAborted(undo(), context.signal);
}
