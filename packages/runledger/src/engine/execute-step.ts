/** One attempt of a step, from its closure to the event that says how it ended. */
import type { Json, JsonObject, RunError } from "@runledger/contracts";
import { indexPlan, pathOf, retryDelay, UNDO, type EventDraft, type RunState, type StepCommand } from "@runledger/core";
import { outputOf } from "./outputs.js";
import type { RunFacts } from "./run-facts.js";
import type { Runners } from "./runners.js";
import { toRunError } from "./step-errors.js";
import { scopeOf, sourceOf, stepKeys } from "./step-scope.js";

export async function executeStep(
  facts: RunFacts,
  runners: Runners,
  state: RunState,
  command: StepCommand,
  abort: AbortSignal,
): Promise<EventDraft> {
  const { stepId, attempt } = command;
  try {
    const data = await attemptStep(facts, runners, state, command, abort);
    return { eventType: "StepCompleted", stepId, attempt, data };
  } catch (thrown) {
    return failed(facts, state, command, abort.aborted ? abortReason(abort) : toRunError(thrown));
  }
}

async function attemptStep(
  facts: RunFacts,
  runners: Runners,
  state: RunState,
  { stepId, path, attempt }: StepCommand,
  signal: AbortSignal,
): Promise<JsonObject> {
  const undoing = stepId.startsWith(UNDO);
  const original = undoing ? stepId.slice(UNDO.length) : stepId;
  const step = indexPlan(facts.workflow.plan).get(path)!;
  const closures = facts.workflow.closures.get(path) ?? {};
  const scope = await scopeOf(facts, state, original);
  const undone = undoing ? { output: await outputOf(sourceOf(facts), state, original) } : {};
  let patch: JsonObject | undefined;
  const context = {
    ...scope,
    ...undone,
    ...stepKeys(facts, state, stepId, attempt),
    runId: facts.runId,
    stepId,
    attempt,
    signal,
    log: () => {},
    checkpoint: () => {},
    patch: (next: JsonObject) => void (patch = { ...patch, ...next }),
  };
  const run = undoing ? closures.compensate : undefined;
  const work = run === undefined ? runners.run({ step, closures, context }) : Promise.resolve(run(context as never));
  const output = (await orAborted(work, signal)) as Json | undefined;
  return { output: output ?? null, ...(patch === undefined ? {} : { patch }) };
}

/** A function cannot be stopped from outside; what it still does is nobody's business any more. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = withReject();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => {});
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<never>((_, no) => (reject = no));
  promise.catch(() => {});
  return { promise, reject };
}

function abortReason(signal: AbortSignal): RunError {
  const reason = toRunError(signal.reason);
  return reason;
}

function failed(facts: RunFacts, state: RunState, command: StepCommand, error: RunError): EventDraft {
  const { stepId, attempt } = command;
  const step = indexPlan(facts.workflow.plan).get(pathOf(stepId.replace(UNDO, "")))!;
  const budgetFrom = state.steps.get(stepId)?.budgetFrom;
  const about = { runId: facts.runId, stepId, attempt, ...(budgetFrom === undefined ? {} : { budgetFrom }) };
  const delay = retryDelay(step, about, error);
  const retryAt = delay === null ? {} : { retryAt: new Date(facts.now() + delay).toISOString() };
  return { eventType: "StepFailed", stepId, attempt, data: { error: { ...error }, ...retryAt } };
}
