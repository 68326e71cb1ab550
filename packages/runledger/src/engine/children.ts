/** Child runs (D9): started once per attempt of their step, looked at when they woke their parent, cancelled with it. */
import { sha256Hex, type FullStateStore, type Json, type JsonObject } from "@runledger/contracts";
import { evolve, indexPlan, initialState, isTerminal, type RunState } from "@runledger/core";
import { sendAction, SignalRejectedError } from "../ledger/signals.js";
import { startRun } from "../ledger/start-run.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { ChildOutcome, Children } from "./engine-parts.js";
import type { Attempt } from "./in-flight.js";
import { outputOf } from "./outputs.js";
import { FatalStepError } from "./step-errors.js";

export function childRuns(store: FullStateStore, workflows: readonly CompiledWorkflow[]): Children {
  return {
    start: async (facts, { stepId, attempt, path, input, place }) => {
      const workflow = find(workflows, indexPlan(facts.workflow.plan).get(path)!.child!);
      const requestId = requestOf(facts.runId, { stepId, attempt });
      const runId = childRunId(facts.runId, { stepId, attempt });
      const parent = { runId: facts.runId, stepId, epoch: facts.epoch };
      await startRun(store, workflow, input, { ...place, requestId, runId, parent });
    },
    outcome: (runId) => outcomeOf(store, runId),
    cancel: async (runId) => {
      await sendAction({ store }, runId, "CANCEL", { signalId: "cancelled-by-parent" }).catch((error: unknown) => {
        if (!(error instanceof SignalRejectedError)) throw error; // it has ended, or is being stopped
      });
    },
  };
}

/** Known before there is a child: a parent's log names it first. */
export function childRunId(parentRunId: string, step: Attempt): string {
  return `run_${requestOf(parentRunId, step).slice(0, 32)}`;
}

function requestOf(parentRunId: string, { stepId, attempt }: Attempt): string {
  return sha256Hex(`${parentRunId}|${stepId}|${attempt}`);
}

function find(
  workflows: readonly CompiledWorkflow[],
  wanted: { readonly planId: string; readonly planVersion: string },
): CompiledWorkflow {
  const { planId, planVersion } = wanted;
  const found = workflows.find(({ plan }) => plan.planId === planId && plan.planVersion === planVersion);
  if (found !== undefined) return found;
  throw new FatalStepError("NO_WORKFLOW", `This worker does not know workflow ${planId} ${planVersion}.`);
}

async function outcomeOf(store: FullStateStore, runId: string): Promise<ChildOutcome> {
  let state = initialState(runId);
  let end: JsonObject = {};
  for await (const event of store.streamEvents(runId)) {
    state = evolve(state, event);
    if (event.eventType === "RunCompleted") end = event.eventData as JsonObject;
  }
  if (state.lastEventSeq === 0) return "absent";
  if (!isTerminal(state.status)) return "running";
  if (state.status === "COMPLETED") return { output: await outputAtEnd(store, state, end) };
  const why = state.details.error === undefined ? "" : `: ${state.details.error.message}`;
  return { message: `Child run ${runId} is ${state.status}${why}` };
}

async function outputAtEnd(store: FullStateStore, state: RunState, end: JsonObject): Promise<Json> {
  const { output = null, outputFrom } = end;
  if (typeof outputFrom !== "string") return output;
  const source = { store, runId: state.runId, planVersion: state.details.planVersion! };
  return (await outputOf(source, state, outputFrom)) ?? null;
}
