/** Operator actions and their preview. */
import type { Action } from "@runledger/core";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { previewAction as previewOf, type PreviewedAction } from "@runledger/runtime/ledger/preview-action";
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

/** Reports what an action would do, without doing it. */
export async function previewAction(
  ledger: Ledger,
  { action, ...previewed }: Omit<PreviewedAction, "action"> & { readonly action: ActionName },
) {
  const { runId, stepId } = previewed;
  const preview = await previewOf(ledger, { ...previewed, action: actionOf(action, stepId) });
  return { runId, action, dryRun: true, ...preview };
}
