/** Reports what an operator's action would do, without doing it. */
import { omitUndefined } from "@runledger/contracts";
import { judgeAction, stepsToRetry, type Action, type RunState } from "@runledger/core";
import { loadState } from "../runs/load-state.js";
import { checkStep } from "../runs/signal-targets.js";
import { isSelfApproval, SELF_APPROVAL, type SendOptions } from "../runs/signals.js";
import { internalsOf } from "./internals.js";
import type { Ledger } from "./ledger.js";

const MAX_NAMED = 1000;

export interface PreviewedAction extends Pick<SendOptions, "by" | "allowSelfApproval"> {
  readonly runId: string;
  readonly action: Action;
  readonly stepId?: string | undefined;
}

export interface ActionPreview {
  readonly accepted: boolean;
  /** The reason why the action would be rejected. */
  readonly reason?: string;
  /** For a retry: the first 1,000 steps that would run again. */
  readonly runsAgain?: readonly string[];
  readonly runsAgainCount?: number;
  /** For a retry: number of completed steps that would be kept. */
  readonly keptCount?: number;
}

export async function previewAction(ledger: Ledger, previewed: PreviewedAction): Promise<ActionPreview> {
  const { runId, action: name, stepId, by, allowSelfApproval = true } = previewed;
  const state = await loadState(ledger.store, runId);
  if (stepId !== undefined) await checkStep(ledger.store, state, stepId);
  const step = omitUndefined({ stepId });
  const verdict = judgeAction(state, { name, signalId: "preview", ...step });
  if (!allowSelfApproval && isSelfApproval(state, { name, ...omitUndefined({ by }) }))
    return { accepted: false, reason: SELF_APPROVAL };
  const request = { runId, namespace: "action" as const, name, ...step, ...omitUndefined({ by }) };
  const denial = await internalsOf(ledger).denialOf(state, request);
  if (denial !== null) return { accepted: false, reason: denial };
  if (!verdict.accepted) return { accepted: false, reason: verdict.reason };
  return { accepted: true, ...(name.startsWith("RETRY_") ? retryScope(state, stepId) : {}) };
}

function retryScope(state: RunState, stepId: string | undefined) {
  const again = new Set(stepsToRetry(state, stepId));
  const kept = state.steps.rows().filter((row) => row.status === "SUCCESS" && !again.has(row.stepId));
  return { runsAgain: [...again].slice(0, MAX_NAMED), runsAgainCount: again.size, keptCount: kept.length };
}
