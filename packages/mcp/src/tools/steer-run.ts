/** Retry and cancel. Neither acts before it is confirmed: by the user in the client, or by a second call with a token. */
import { omitUndefined, StopError, type RunHeader } from "@runledger/contracts";
import type { Action } from "@runledger/core";
import { z } from "zod";
import { invalid, pendingOf, type Intent, type Pending } from "../confirmations.js";
import { runIdField, tool, type ToolContext } from "../tool.js";
import { effectOf, questionOf, type Effect } from "./effect.js";

const confirmation = z
  .string()
  .max(200)
  .optional()
  .describe("Token of the previous call's preview. Pass it only after the user has agreed to that preview.");

const HOW =
  "The first call changes nothing: it returns a preview and a confirmation token, or asks the user in the client. Show the " +
  "preview to the user; only a second call with the token acts.";

export const retryRun = tool({
  name: "retry_run",
  title: "Retry a run",
  description: `Retries the failed steps of a run, and the steps that depend on them. Steps may repeat effects. ${HOW}`,
  changes: true,
  input: z.strictObject({
    run_id: runIdField,
    step_id: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("Retries only this step and the steps that depend on it."),
    confirmation,
  }),
  run: async (context, { run_id, step_id: stepId, confirmation: token }) => {
    const action = stepId === undefined ? "RETRY_RUN" : "RETRY_STEP";
    return steer(context, { runId: await context.findRun(run_id), action, ...omitUndefined({ stepId }) }, token);
  },
});

export const cancelRun = tool({
  name: "cancel_run",
  title: "Cancel a run",
  description: `Cancels a run: aborts its running steps, then runs its compensations. ${HOW}`,
  changes: true,
  input: z.strictObject({ run_id: runIdField, confirmation }),
  run: async (context, { run_id, confirmation: token }) =>
    steer(context, { runId: await context.findRun(run_id), action: "CANCEL" }, token),
});

async function steer(context: ToolContext, intent: Intent, token: string | undefined): Promise<object> {
  if (token !== undefined)
    return context.confirmations.use(token, intent, (pending, onSend) => act(context, pending, onSend));
  const { standing, effect } = await preview(context, intent);
  const pending = pendingOf(intent, standing);
  const isAgreed = await context.ask(questionOf(effect));
  if (isAgreed === true) return act(context, pending);
  if (isAgreed === false)
    return { done: false, message: "The user did not confirm. Nothing was done.", preview: effect };
  const issued = context.confirmations.issue(intent, standing);
  const next =
    "Nothing was done yet. Show the preview to the user. If the user agrees, call this tool again with `confirmation`.";
  return { done: false, next, preview: effect, confirmation: issued.token, expiresAt: issued.expiresAt };
}

/** The run is read before its preview, so that a change between the two makes the confirmation invalid. */
async function preview({ backend, by }: ToolContext, intent: Intent) {
  const { runId, action, stepId } = intent;
  const run = await backend.getRun(runId);
  const outcome = await backend.previewAction(runId, action, omitUndefined({ stepId, by }));
  if (!outcome.accepted) throw refused(intent, outcome.reason);
  const effect: Effect = await effectOf(backend, run, { intent, outcome });
  return { standing: standingOf(action, run), effect };
}

async function act({ backend, by }: ToolContext, pending: Pending, onSend = () => {}): Promise<object> {
  const { runId, action, stepId, signalId, standing, isSent } = pending;
  if (!isSent && standingOf(action, await backend.getRun(runId)) !== standing)
    throw invalid(
      "is for the run as it was before: the run has changed since. Call the tool without it for a new preview.",
    );
  onSend();
  await backend.act(runId, action, { signalId, ...omitUndefined({ stepId, by }) });
  return { done: true, runId, action, stepId, actionId: signalId, next: "Use explain_run to see the run." };
}

/** A retry is bound to the seq of the run. Progress does not change the meaning of a cancellation, so only its status counts. */
function standingOf(action: Action, { status, lastEventSeq, ordinals }: RunHeader): string {
  return action === "CANCEL" ? `${status} ${ordinals["RunReopened"] ?? 0}` : `seq ${lastEventSeq}`;
}

function refused({ runId, action }: Intent, reason = "no reason is known"): StopError {
  return new StopError("SIGNAL_REJECTED", `${action} would be rejected by run ${runId}: ${reason}. Nothing was done.`);
}
