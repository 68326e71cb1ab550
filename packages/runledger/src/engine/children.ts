/** Child runs (D9): started once per attempt of their step, looked at when they woke their parent, cancelled with it. */
import { sha256Hex, type CanonicalEngineEvent, type FullStateStore, type JsonObject } from "@runledger/contracts";
import { evolveAll, indexPlan, initialState, isTerminal, type EventDraft } from "@runledger/core";
import { sendAction } from "../ledger/signals.js";
import { startRun } from "../ledger/start-run.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { Children } from "./engine-parts.js";
import { outputOf } from "./outputs.js";
import { FatalStepError } from "./step-errors.js";

export function childRuns(store: FullStateStore, workflows: readonly CompiledWorkflow[]): Children {
  return {
    start: async (facts, { stepId, attempt, path, input }) => {
      const wanted = indexPlan(facts.workflow.plan).get(path)?.child;
      const workflow = workflows.find(
        ({ plan }) => plan.planId === wanted?.planId && plan.planVersion === wanted.planVersion,
      );
      if (workflow === undefined)
        throw new FatalStepError(
          "NO_WORKFLOW",
          `This worker does not know workflow ${wanted?.planId} ${wanted?.planVersion}.`,
        );
      const request = sha256Hex(`${facts.runId}|${stepId}|${attempt}`);
      const parent = { runId: facts.runId, stepId };
      return startRun(store, workflow, input, { requestId: request, runId: `run_${request.slice(0, 32)}`, parent });
    },
    outcome: (childRunId, step) => outcomeOf(store, childRunId, step),
    cancel: (childRunId) => sendAction(store, childRunId, "CANCEL", { signalId: "cancelled-by-parent" }),
  };
}

async function outcomeOf(
  store: FullStateStore,
  childRunId: string,
  { stepId, attempt }: { stepId: string; attempt: number },
): Promise<EventDraft | null> {
  const events: CanonicalEngineEvent[] = [];
  for await (const event of store.streamEvents(childRunId)) events.push(event);
  const state = evolveAll(initialState(childRunId), events);
  if (!isTerminal(state.status)) return null;
  if (state.status !== "COMPLETED") {
    const message = `Child run ${childRunId} is ${state.status}${state.details.error === undefined ? "" : `: ${state.details.error.message}`}`;
    return {
      eventType: "StepFailed",
      stepId,
      attempt,
      data: { error: { code: "CHILD_FAILED", message, retryable: true } },
    };
  }
  const { output = null, outputFrom } = events.findLast(({ eventType }) => eventType === "RunCompleted")!
    .eventData as JsonObject;
  const source = { store, runId: childRunId, planVersion: state.details.planVersion! };
  const value = typeof outputFrom === "string" ? await outputOf(source, state, outputFrom) : output;
  return { eventType: "StepCompleted", stepId, attempt, data: { output: value ?? null } };
}
