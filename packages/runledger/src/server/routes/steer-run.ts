import type { Json } from "@runledger/contracts";
import { z } from "zod";
import { randomId } from "../../ledger/start-run.js";
import { parseWith } from "../../workflow/schema.js";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { readHeader } from "../runs/read-run.js";
import { actionOf, previewAction } from "../runs/preview-action.js";
import { actionNames, actionOutcome, actionRequest, signalOutcome, signalRequest } from "../schemas/steering.js";
import { identifier } from "../schemas/values.js";

export const act = route({
  method: "POST",
  path: "/runs/{runId}/actions/{action}",
  operationId: "act",
  tag: "steering",
  summary: "Steer a run",
  description: "The answer is on record either way. With `dryRun` it says what would happen, and nothing does.",
  role: "operator",
  params: z.object({ runId: identifier, action: z.enum(actionNames) }),
  body: actionRequest.optional(),
  answers: { 200: { description: "It was accepted, or would be or not", schema: actionOutcome } },
  problems: ["RUN_NOT_FOUND", "SIGNAL_REJECTED", "SIGNAL_LIMIT", "RUN_ARCHIVED"],
  handle: async ({ params: { runId, action }, body = {}, caller, store, api }) => {
    await findRun(store, runId);
    const { stepId, dryRun = false, signalId = randomId("sig") } = body;
    if (dryRun) return ok(await previewAction(api.ledger.store, { runId, action, stepId }));
    const about = stepId === undefined ? {} : { stepId };
    await api.ledger.act(runId, actionOf(action, stepId), { signalId, by: caller.name, ...about });
    return ok({ runId, action, accepted: true, dryRun, signalId });
  },
});

export const signal = route({
  method: "POST",
  path: "/runs/{runId}/signals/{name}",
  operationId: "signal",
  tag: "steering",
  summary: "Send a signal to a run",
  description: "It is kept until the run waits for it. With a `signalId` it is safe to repeat.",
  role: "operator",
  params: z.object({ runId: identifier, name: identifier }),
  body: signalRequest.optional(),
  maxBodyBytes: 128 * 1024,
  answers: { 202: { description: "It is on record", schema: signalOutcome } },
  problems: [
    "RUN_NOT_FOUND",
    "SCHEMA_MISMATCH",
    "SIGNAL_REJECTED",
    "SIGNAL_LIMIT",
    "PAYLOAD_TOO_LARGE",
    "RUN_ARCHIVED",
  ],
  handle: async ({ params: { runId, name }, body = {}, caller, store, api }) => {
    const { planId = "", planVersion = "" } = await readHeader(api.ledger.store, await findRun(store, runId));
    const { payload = null, signalId = randomId("sig") } = body;
    const known = await api.workflows.find(planId, planVersion).catch(() => null); // who has no code of it cannot judge
    const read = await parseWith(known?.signals[name], "payload", payload);
    await api.ledger.signal(runId, name, read as Json, { signalId, by: caller.name });
    return { status: 202, body: { runId, name, signalId } };
  },
});
