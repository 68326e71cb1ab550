import { z } from "zod";
import { omitUndefined, newId } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { findRun } from "../runs/find-run.js";
import { actionNames, actionOf, previewAction, signalIdField } from "./actions.js";

const actionRequest = z
  .strictObject({
    stepId: identifier.optional().meta({ description: "Step to retry or to skip." }),
    signalId: signalIdField,
    dryRun: z.boolean().optional().meta({ description: "`true` to preview the action without performing it." }),
  })
  .meta({ id: "ActionRequest", description: "Options of an action." });

const actionOutcome = z
  .object({
    runId: identifier,
    action: z.enum(actionNames),
    accepted: z.boolean().meta({ description: "`true` if the run accepted the action, or would accept it." }),
    dryRun: z.boolean(),
    reason: z.string().optional().meta({ description: "In a dry run: why the action would be rejected." }),
    signalId: z.string().optional(),
    runsAgain: z
      .array(z.string())
      .optional()
      .meta({ description: "In a dry run of a retry: the first 1,000 steps that would run again." }),
    runsAgainCount: z
      .int()
      .optional()
      .meta({ description: "In a dry run of a retry: number of steps that would run again." }),
    keptCount: z
      .int()
      .optional()
      .meta({ description: "In a dry run of a retry: number of completed steps that would be kept." }),
  })
  .meta({ id: "ActionOutcome", description: "The outcome of an action." });

export const act = route({
  method: "POST",
  path: "/runs/{runId}/actions/{action}",
  operationId: "act",
  tag: "steering",
  summary: "Perform an action on a run",
  description:
    "Approves, pauses, resumes, cancels or retries a run, or skips one of its steps. The run's log records accepted and rejected actions. The caller that started a run may not approve it, unless the server allows it. With `dryRun`, the call only reports what would happen.",
  role: "operator",
  params: z.object({ runId: identifier, action: z.enum(actionNames) }),
  steering: ({ runId, action }) => ({ runId, namespace: "action", name: actionOf(action, undefined) }),
  body: actionRequest.optional(),
  responses: { 200: { description: "The accepted action, or the preview", schema: actionOutcome } },
  problems: ["RUN_NOT_FOUND", "STEP_NOT_FOUND", "SIGNAL_REJECTED", "SIGNAL_LIMIT", "RUN_ARCHIVED"],
  handle: async ({ params: { runId, action }, body = {}, caller, store, api }) => {
    await findRun(store, runId);
    const { stepId, dryRun = false, signalId = newId("sig") } = body;
    const sender = { by: caller.name, allowSelfApproval: api.authenticator.allowsSelfApproval(caller) };
    if (dryRun) return ok(await previewAction(api.ledger, { runId, action, stepId, ...sender }));
    await api.ledger.act(runId, actionOf(action, stepId), { signalId, ...sender, ...omitUndefined({ stepId }) });
    return ok({ runId, action, accepted: true, dryRun, signalId });
  },
});
