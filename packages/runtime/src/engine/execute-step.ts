/** Runs one attempt of a step, from its closure to the event that records its end. */
import { omitUndefined, ON_FAILURE, type ArtifactRef, type StepOutput, type TraceContext } from "@runledger/contracts";
import { indexPlan, pendingFailure, UNDO, type EventDraft, type RunState, type StepCommand } from "@runledger/core";
import { raceAbort } from "./abort.js";
import type { RecordedSteps } from "./inner-steps.js";
import { outputOf } from "../runs/outputs.js";
import type { RunContext } from "./run-context.js";
import type { Runners } from "./runners.js";
import { openAttempt, type StepAttempt } from "./step-context.js";
import { traceOf } from "../workflow/error-trace.js";
import { retryAfterOf } from "../workflow/step-errors.js";
import { fitOutput } from "./fit-output.js";
import { stepFailed } from "./step-failed.js";
import { endDraft, failedOutput, runErrorOf, succeeded } from "./step-output.js";
import { printTo } from "./step-process.js";
import { StoreCalls } from "./store-calls.js";
import { scopeOf, sourceOf, type StepScope } from "./step-scope.js";
import { endTrace, logAttempt, traceAttempt } from "./trace-attempt.js";

/** Limits the references of a failure, so that it always fits into an event. */
export const MAX_ARTIFACTS = 20;

export async function executeStep(
  context: RunContext,
  runners: Runners,
  state: RunState,
  command: StepCommand,
  signal: AbortSignal,
  inner: RecordedSteps,
): Promise<EventDraft> {
  const [calls, tracing] = [new StoreCalls(runners.timers, signal), new StoreCalls(runners.timers, signal)];
  const span = await traceAttempt(context, state, command, tracing);
  const attempt = { command, trace: span.trace, signal, calls, inner };
  try {
    const draft = await span.run(() => runAttempt(context, runners, state, attempt));
    logAttempt(context, state, span, draft);
    return endTrace(span, draft);
  } finally {
    span.end(); // also if the attempt has no result, because the store is unavailable
  }
}

interface TracedAttempt {
  readonly command: StepCommand;
  readonly trace: TraceContext | undefined;
  readonly signal: AbortSignal;
  readonly calls: StoreCalls;
  readonly inner: RecordedSteps;
}

async function runAttempt(
  context: RunContext,
  runners: Runners,
  state: RunState,
  attempt: TracedAttempt,
): Promise<EventDraft> {
  const { command, signal, calls, inner } = attempt;
  const opened = openAttempt(context, runners, state, command, signal, calls);
  inner.storeIn(opened.artifactsOf);
  printTo(({ from, text }) => opened.log.add(from, text));
  try {
    const scope = await readScope(context, state, command.stepId, calls);
    const output = await work(context, runners, attempt, opened, scope);
    opened.datasets.add(output.datasets ?? {});
    if (output.status !== "FAILED")
      return await fitOutput(context, opened.home, endDraft(command, output, await opened.end()));
    const more = { ...(await artifactsOf(opened, output)), culprit: inner.culprit };
    return stepFailed(context, state, command, runErrorOf(output), more);
  } catch (thrown) {
    const reason = calls.ownError(thrown);
    const output = failedOutput(reason);
    const left = { ...traceOf(reason), ...(await artifactsOf(opened, output)) };
    const more = { ...left, retryAfterMs: retryAfterOf(reason), culprit: signal.aborted ? undefined : inner.culprit };
    return stepFailed(context, state, command, runErrorOf(output), more);
  }
}

/** Tries to save the log of a failed attempt. If the store is unavailable, the failure is recorded without it. */
async function artifactsOf(
  opened: StepAttempt,
  { artifactRefs }: StepOutput,
): Promise<{ artifacts?: readonly ArtifactRef[] }> {
  const { artifacts = [] } = await opened.end().catch(() => ({ artifacts: undefined }));
  const all = [...artifactRefs, ...artifacts];
  return all.length === 0 ? {} : { artifacts: all.slice(-MAX_ARTIFACTS) };
}

/** A compensation reads what its step read, and the step's output. A failure handler reads the run's error. */
async function readScope(context: RunContext, state: RunState, stepId: string, calls: StoreCalls): Promise<StepScope> {
  if (stepId === ON_FAILURE && context.workflow.plan.onFailure !== undefined) {
    return { ...(await scopeOf(context, state, stepId, calls)), ...pendingFailure(context.workflow.plan, state) };
  }
  if (!stepId.startsWith(UNDO)) return scopeOf(context, state, stepId, calls);
  const original = stepId.slice(UNDO.length);
  const output = await calls.insist(() => outputOf(sourceOf(context), state, original));
  return { ...(await scopeOf(context, state, original, calls)), output };
}

async function work(
  context: RunContext,
  runners: Runners,
  { command: { stepId, path }, trace, inner }: TracedAttempt,
  { context: stepContext, log, tenantId }: StepAttempt,
  scope: StepScope,
): Promise<StepOutput> {
  const step = indexPlan(context.workflow.plan).get(path)!;
  const closures = context.workflow.closures.get(path) ?? {};
  const { isPublished = false } = context.workflow;
  const shared = { closures, context: Object.assign(stepContext, scope), log, tenantId, isPublished };
  const task = { step, ...shared, ...omitUndefined({ trace }) };
  if (!stepId.startsWith(UNDO)) return runners.run({ ...task, inner });
  if (step.compensateWith !== undefined) {
    return runners.run({ ...task, step: { ...step, ...step.compensateWith }, closures: closures.undo ?? {} });
  }
  const undo = async (): Promise<unknown> => closures.compensate?.(task.context as never);
  return succeeded(await raceAbort(undo(), stepContext.signal));
}
