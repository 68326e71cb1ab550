/** Child runs (D9): started once per attempt of their step, checked when they wake their parent, cancelled with it. */
import {
  omitUndefined,
  readEventData,
  sha256Hex,
  type FullStateStore,
  type Json,
  type RunCompletedData,
} from "@runledger/contracts";
import { evolve, indexPlan, initialState, isTerminal, type RunState } from "@runledger/core";
import { directStartsOf } from "../runs/direct-starts.js";
import { wholeLog } from "../runs/settled-log.js";
import { sendAction, SignalRejectedError } from "../runs/signals.js";
import { startRun } from "../runs/start-run.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { ChildOutcome, Children } from "./engine-deps.js";
import type { AttemptRef } from "./in-flight.js";
import { outputOf } from "../runs/outputs.js";
import { FatalStepError } from "../workflow/step-errors.js";
import { traceOf } from "./step-scope.js";

export function childRuns(store: FullStateStore, workflows: readonly CompiledWorkflow[]): Children {
  return {
    start: async (context, { stepId, attempt, path, input, place }) => {
      const workflow = findWorkflow(workflows, indexPlan(context.workflow.plan).get(path)!.child!);
      const requestId = requestOf(context.runId, { stepId, attempt });
      const runId = childRunId(context.runId, { stepId, attempt });
      const parent = { runId: context.runId, stepId, epoch: context.epoch };
      const trace = await traceOf(context);
      const redact = (json: Json): Json => context.redactor?.json(json) ?? json; // S1
      const options = { ...place, requestId, runId, parent, redact, ...omitUndefined({ trace }) };
      await startRun(store, workflow, input, options);
    },
    outcome: (runId) => outcomeOf(store, runId),
    cancel: async (runId) => {
      await sendAction({ store }, runId, "CANCEL", { signalId: "cancelled-by-parent" }).catch((error: unknown) => {
        if (!(error instanceof SignalRejectedError)) throw error; // it is finished or stopping
      });
    },
  };
}

/** The id is computed before the child exists, because the parent's log names it first. */
export function childRunId(parentRunId: string, step: AttemptRef): string {
  return `run_${requestOf(parentRunId, step).slice(0, 32)}`;
}

function requestOf(parentRunId: string, { stepId, attempt }: AttemptRef): string {
  return sha256Hex(`${parentRunId}|${stepId}|${attempt}`);
}

function findWorkflow(
  workflows: readonly CompiledWorkflow[],
  wanted: { readonly planId: string; readonly planVersion: string },
): CompiledWorkflow {
  const { planId, planVersion } = wanted;
  const found = workflows.find(({ plan }) => plan.planId === planId && plan.planVersion === planVersion);
  if (found !== undefined) return found;
  throw new FatalStepError(
    "NO_WORKFLOW",
    `This worker does not have workflow ${planId} ${planVersion}. Add it to the worker's workflows.`,
  );
}

async function outcomeOf(store: FullStateStore, runId: string): Promise<ChildOutcome> {
  let state = initialState(runId);
  let end: RunCompletedData = {};
  for await (const event of wholeLog(store, runId)) {
    state = evolve(state, event);
    if (event.eventType === "RunCompleted") end = readEventData("RunCompleted", event.eventData);
  }
  if (state.lastEventSeq === 0) return "absent";
  if (!isTerminal(state.status)) {
    if (state.details.startedAt === undefined) await directStartsOf(store)?.ensureExecution(runId); // its starter may be lost
    return "running";
  }
  if (state.status === "COMPLETED") return { output: await outputAtEnd(store, state, end) };
  const why = state.details.error === undefined ? "" : `: ${state.details.error.message}`;
  return { message: `Child run ${runId} is ${state.status}${why}` };
}

async function outputAtEnd(store: FullStateStore, state: RunState, end: RunCompletedData): Promise<Json> {
  const { output = null, outputFrom } = end;
  if (outputFrom === undefined) return output;
  const source = { store, runId: state.runId, planVersion: state.details.planVersion! };
  return (await outputOf(source, state, outputFrom)) ?? null;
}
