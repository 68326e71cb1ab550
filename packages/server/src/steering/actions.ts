/** Operator actions and their preview. */
import { omitUndefined } from "@runledger/contracts";
import { type Action, judgeAction, type RunState, stepsToRetry } from "@runledger/core";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { loadState } from "@runledger/runtime/runs/load-state";
import { checkStep } from "@runledger/runtime/runs/signal-targets";
import { isSelfApproval, SELF_APPROVAL, type SendOptions } from "@runledger/runtime/runs/signals";
import { identifier } from "../http/schemas.js";

export const actionNames = ["approve", "pause", "resume", "cancel", "retry", "skip", "compensate"] as const;

export const signalIdField = identifier
  .optional()
  .meta({ description: "Idempotency key: a repeated call has no further effect. Defaults to a random id." });

type ActionName = (typeof actionNames)[number];

const ACTIONS = {
  approve: "APPROVE",
  pause: "PAUSE",
  resume: "RESUME",
  cancel: "CANCEL",
  skip: "SKIP_STEP",
  compensate: "COMPENSATE",
} as const satisfies Record<Exclude<ActionName, "retry">, Action>;

/** A retry that names a step starts there. */
export function actionOf(name: ActionName, stepId: string | undefined): Action {
  if (name === "retry") return stepId === undefined ? "RETRY_RUN" : "RETRY_STEP";
  return ACTIONS[name];
}

const MAX_NAMED = 1000;

interface PreviewedAction extends Pick<SendOptions, "by" | "allowSelfApproval"> {
  readonly runId: string;
  readonly action: ActionName;
  readonly stepId: string | undefined;
}

/** Reports what an action would do, without doing it. */
export async function previewAction(
  ledger: Ledger,
  { runId, action, stepId, by, allowSelfApproval = true }: PreviewedAction,
) {
  const state = await loadState(ledger.store, runId);
  if (stepId !== undefined) await checkStep(ledger.store, state, stepId);
  const name = actionOf(action, stepId);
  const step = omitUndefined({ stepId });
  const verdict = judgeAction(state, { name, signalId: "preview", ...step });
  const outcome = { runId, action, dryRun: true };
  if (!allowSelfApproval && isSelfApproval(state, { name, ...omitUndefined({ by }) }))
    return { ...outcome, accepted: false, reason: SELF_APPROVAL };
  const request = { runId, namespace: "action" as const, name, ...step, ...omitUndefined({ by }) };
  const denial = await internalsOf(ledger).denialOf(state, request);
  if (denial !== null) return { ...outcome, accepted: false, reason: denial };
  if (!verdict.accepted) return { ...outcome, accepted: false, reason: verdict.reason };
  return { ...outcome, accepted: true, ...(action === "retry" ? retryScope(state, stepId) : {}) };
}

function retryScope(state: RunState, stepId: string | undefined) {
  const again = new Set(stepsToRetry(state, stepId));
  const kept = state.steps.rows().filter((row) => row.status === "SUCCESS" && !again.has(row.stepId));
  return { runsAgain: [...again].slice(0, MAX_NAMED), runsAgainCount: again.size, keptCount: kept.length };
}
