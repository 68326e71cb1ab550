/** What an action would do, without doing it. */
import type { FullStateStore } from "@runledger/contracts";
import { judgeAction, stepsToRetry, type Action, type RunState } from "@runledger/core";
import { loadState } from "../../ledger/load-state.js";
import type { actionNames } from "../schemas/steering.js";

type ActionName = (typeof actionNames)[number];

const ACTIONS = {
  approve: "APPROVE",
  pause: "PAUSE",
  resume: "RESUME",
  cancel: "CANCEL",
  skip: "SKIP_STEP",
} as const satisfies Record<Exclude<ActionName, "retry">, Action>;

/** A retry that names a step begins there. */
export function actionOf(name: ActionName, stepId: string | undefined): Action {
  if (name === "retry") return stepId === undefined ? "RETRY_RUN" : "RETRY_STEP";
  return ACTIONS[name];
}

const MOST_NAMED = 1000;

export async function previewAction(
  store: FullStateStore,
  {
    runId,
    action,
    stepId,
  }: { readonly runId: string; readonly action: ActionName; readonly stepId: string | undefined },
) {
  const state = await loadState(store, runId);
  const about = stepId === undefined ? {} : { stepId };
  const verdict = judgeAction(state, { name: actionOf(action, stepId), signalId: "preview", ...about });
  const known = { runId, action, dryRun: true };
  if (!verdict.accepted) return { ...known, accepted: false, reason: verdict.reason };
  return { ...known, accepted: true, ...(action === "retry" ? retried(state, stepId) : {}) };
}

function retried(state: RunState, stepId: string | undefined) {
  const again = new Set(stepsToRetry(state, stepId));
  const kept = state.steps.rows().filter((row) => row.status === "SUCCESS" && !again.has(row.stepId));
  return { runsAgain: [...again].slice(0, MOST_NAMED), runsAgainCount: again.size, keptCount: kept.length };
}
