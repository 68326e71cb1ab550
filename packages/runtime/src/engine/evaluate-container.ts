/** Calls the closures of containers. The log records each result, and it holds for the rest of the run (D1). */
import { traceOf } from "../workflow/error-trace.js";
import { FatalStepError, toRunError } from "../workflow/step-errors.js";
import { storableInstant, type Json, type JsonObject, type Opened } from "@runledger/contracts";
import {
  indexPlan,
  prefixOf,
  waitOf,
  type Command,
  type EventDraft,
  type RunState,
  type StepCommand,
} from "@runledger/core";
import { recordItems } from "./item-lists.js";
import { outputOf } from "../runs/outputs.js";
import type { RunContext } from "./run-context.js";
import { scopeOf, sourceOf } from "./step-scope.js";
import type { StoreCalls } from "./store-calls.js";

export type StartChild = (params: {
  readonly stepId: string;
  readonly attempt: number;
  readonly input: Json | undefined;
  readonly path: string;
}) => Promise<string>;

export async function evaluateContainer(
  context: RunContext,
  state: RunState,
  command: StepCommand,
  startChild: StartChild,
  calls: StoreCalls,
): Promise<EventDraft[]> {
  const { stepId, attempt } = command;
  try {
    const opened = await ask(context, state, command, startChild, calls);
    const wait = waitOf(indexPlan(context.workflow.plan).get(command.path)!);
    return [{ eventType: "StepStarted", stepId, attempt, data: { opened: opened as Json, ...wait } }];
  } catch (thrown) {
    const data = failureOf(calls.ownError(thrown));
    return [
      { eventType: "StepStarted", stepId, attempt },
      { eventType: "StepFailed", stepId, attempt, data },
    ];
  }
}

async function ask(
  context: RunContext,
  state: RunState,
  command: StepCommand,
  startChild: StartChild,
  calls: StoreCalls,
): Promise<Opened> {
  const { stepId, path, attempt } = command;
  const { kind } = indexPlan(context.workflow.plan).get(path)!;
  const closure = context.workflow.closures.get(path)?.open;
  const answer = await closure?.((await scopeOf(context, state, stepId, calls)) as never);
  if (kind === "when") return { branch: answer === true ? 0 : 1 };
  if (kind === "sleep") return { until: instant(answer) };
  if (kind === "child")
    return { childRunId: await startChild({ stepId, attempt, path, input: answer as Json | undefined }) };
  if (!Array.isArray(answer)) throw new FatalStepError("ITEMS_INVALID", "items must return an array.");
  return recordItems(context, state, { stepId, attempt }, answer, calls.insist);
}

function instant(answer: unknown): string {
  const time = storableInstant(Date.parse(String(answer)));
  if (time === null)
    throw new FatalStepError("TIME_INVALID", "until must return an ISO 8601 time before the year 10000.");
  return time;
}

/** Asks a repeat's closure whether the pass that just ended was the last. */
export async function evaluateUntil(
  context: RunContext,
  state: RunState,
  command: Extract<Command, { readonly type: "askAgain" }>,
  calls: StoreCalls,
): Promise<EventDraft> {
  const { stepId, path, iteration, attempt } = command;
  const pass = { stepId: `${stepId}/${iteration}`, attempt };
  const step = indexPlan(context.workflow.plan).get(path)!;
  const outputId = step.bodies?.[0]?.output?.split("/").at(-1);
  const readOutput = async (): Promise<Json | undefined> =>
    outputId === undefined ? null : outputOf(sourceOf(context), state, prefixOf(stepId, iteration) + outputId);
  try {
    const output = await calls.insist(readOutput);
    const scope = await scopeOf(context, state, stepId, calls);
    const done = await context.workflow.closures.get(path)?.until?.({ ...scope, iteration, output } as never);
    return { eventType: "StepCompleted", ...pass, data: { again: done !== true } };
  } catch (thrown) {
    return { eventType: "StepFailed", ...pass, data: failureOf(calls.ownError(thrown)) };
  }
}

function failureOf(thrown: unknown): JsonObject {
  return { error: { ...toRunError(thrown), retryable: false }, ...(traceOf(thrown) as JsonObject) };
}
