/** Asking a container's closure: what it returned is recorded, and holds for this run whatever becomes of it (D1). */
import { FatalStepError, toRunError } from "./step-errors.js";
import { RetryError, type Json, type Opened } from "@runledger/contracts";
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
import { outputOf } from "./outputs.js";
import type { RunFacts } from "./run-facts.js";
import { scopeOf, sourceOf } from "./step-scope.js";

export type StartChild = (params: {
  readonly stepId: string;
  readonly attempt: number;
  readonly input: Json | undefined;
  readonly path: string;
}) => Promise<string>;

export async function openStep(
  facts: RunFacts,
  state: RunState,
  command: StepCommand,
  startChild: StartChild,
): Promise<EventDraft[]> {
  const { stepId, attempt } = command;
  try {
    const opened = await ask(facts, state, command, startChild);
    const wait = waitOf(indexPlan(facts.workflow.plan).get(command.path)!);
    return [{ eventType: "StepStarted", stepId, attempt, data: { opened: opened as Json, ...wait } }];
  } catch (thrown) {
    if (thrown instanceof RetryError) throw thrown; // the store is away, which is not the step's fault
    const error = { ...toRunError(thrown), retryable: false };
    return [
      { eventType: "StepStarted", stepId, attempt },
      { eventType: "StepFailed", stepId, attempt, data: { error } },
    ];
  }
}

async function ask(facts: RunFacts, state: RunState, command: StepCommand, startChild: StartChild): Promise<Opened> {
  const { stepId, path, attempt } = command;
  const { kind } = indexPlan(facts.workflow.plan).get(path)!;
  const closure = facts.workflow.closures.get(path)?.open;
  const answer = await closure?.((await scopeOf(facts, state, stepId)) as never);
  if (kind === "when") return { branch: answer === true ? 0 : 1 };
  if (kind === "sleep") return { until: instant(answer) };
  if (kind === "child")
    return { childRunId: await startChild({ stepId, attempt, path, input: answer as Json | undefined }) };
  if (!Array.isArray(answer)) throw new FatalStepError("ITEMS_INVALID", "items must return an array.");
  return recordItems(facts, state, { stepId, attempt }, answer);
}

function instant(answer: unknown): string {
  const time = Date.parse(String(answer));
  if (Number.isNaN(time)) throw new FatalStepError("TIME_INVALID", "until must return an ISO 8601 time.");
  return new Date(time).toISOString();
}

/** Asks a repeat's closure whether the pass that just ended was the last. */
export async function askAgain(
  facts: RunFacts,
  state: RunState,
  command: Extract<Command, { readonly type: "askAgain" }>,
): Promise<EventDraft> {
  const { stepId, path, iteration, attempt } = command;
  const pass = { stepId: `${stepId}/${iteration}`, attempt };
  const step = indexPlan(facts.workflow.plan).get(path)!;
  const outputId = step.bodies?.[0]?.output?.split("/").at(-1);
  const output =
    outputId === undefined ? null : await outputOf(sourceOf(facts), state, prefixOf(stepId, iteration) + outputId);
  try {
    const scope = await scopeOf(facts, state, stepId);
    const done = await facts.workflow.closures.get(path)?.until?.({ ...scope, iteration, output } as never);
    return { eventType: "StepCompleted", ...pass, data: { again: done !== true } };
  } catch (thrown) {
    if (thrown instanceof RetryError) throw thrown;
    return { eventType: "StepFailed", ...pass, data: { error: { ...toRunError(thrown), retryable: false } } };
  }
}
