import { z } from "zod";
import { newId, type Json } from "@runledger/contracts";
import { readHeader } from "@runledger/runtime/runs/read-run";
import { parseWith } from "@runledger/runtime/workflow/schema";
import { route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { findRun } from "../runs/find-run.js";
import { signalIdField } from "./actions.js";

const signalRequest = z
  .strictObject({
    payload: z
      .unknown()
      .optional()
      .meta({ description: "Data for the step that waits for the signal. Defaults to `null`." }),
    signalId: signalIdField,
  })
  .meta({ id: "SignalRequest", description: "Payload of a signal." });

const signalOutcome = z
  .object({ runId: identifier, name: z.string(), signalId: z.string() })
  .meta({ id: "SignalOutcome", description: "A recorded signal." });

export const signal = route({
  method: "POST",
  path: "/runs/{runId}/signals/{name}",
  operationId: "signal",
  tag: "steering",
  summary: "Send a signal to a run",
  description:
    "The signal is kept until a step of the run waits for it. With a `signalId`, the call is safe to repeat.",
  role: "operator",
  params: z.object({ runId: identifier, name: identifier }),
  steering: ({ runId, name }) => ({ runId, namespace: "signal", name }),
  body: signalRequest.optional(),
  maxBodyBytes: 128 * 1024,
  responses: { 202: { description: "The signal is recorded", schema: signalOutcome } },
  problems: [
    "RUN_NOT_FOUND",
    "SIGNAL_UNKNOWN",
    "SCHEMA_MISMATCH",
    "SIGNAL_REJECTED",
    "SIGNAL_LIMIT",
    "PAYLOAD_TOO_LARGE",
    "RUN_ARCHIVED",
  ],
  handle: async ({ params: { runId, name }, body = {}, caller, store, api }) => {
    const { planId = "", planVersion = "" } = await readHeader(api.ledger.store, await findRun(store, runId));
    const { payload = null, signalId = newId("sig") } = body;
    const workflow = await api.workflows.find(planId, planVersion).catch(() => null); // without the workflow's code there is no schema to check
    const signals = workflow?.signals ?? {};
    const schema = Object.hasOwn(signals, name) ? signals[name] : undefined;
    const parsed = await parseWith(schema, "payload", payload);
    await api.ledger.signal(runId, name, parsed as Json, { signalId, by: caller.name });
    return { status: 202, body: { runId, name, signalId } };
  },
});
