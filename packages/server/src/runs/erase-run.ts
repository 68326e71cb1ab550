import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { byRun, findRun } from "./find-run.js";

const eraseRequest = z
  .strictObject({
    reason: z.string().min(1).max(1000).meta({
      description: "Why the payloads are erased. The log keeps it, so do not name persons.",
    }),
  })
  .meta({ id: "RunErasureRequest", description: "A request to erase the payloads of a run." });

const eraseOutcome = z
  .object({
    runId: identifier,
    erased: z.literal(true),
    events: z.int().meta({ description: "Events whose payloads were erased. 0 if they had none left." }),
  })
  .meta({ id: "RunErasure", description: "A run without payloads." });

export const eraseRun = route({
  method: "POST",
  path: "/runs/{runId}/erase",
  operationId: "eraseRun",
  tag: "runs",
  summary: "Erase the payloads of a run",
  description:
    "Erases inputs, outputs, states, signals, messages, logs and artifacts of a finished run permanently. Numbers, types, ids, " +
    "keys, times and labels stay, so that the log can still be verified. The audit log records the caller. To erase all runs " +
    "with a label, list them and erase each. A repeated call changes nothing.",
  role: "admin",
  audited: true,
  params: byRun,
  body: eraseRequest,
  responses: { 200: { description: "The erased run", schema: eraseOutcome } },
  problems: ["RUN_NOT_FOUND", "RUN_NOT_FINISHED", "OPTION_INVALID", "ARTIFACTS_UNAVAILABLE"],
  handle: async ({ params: { runId }, body: { reason }, caller, store, api }) => {
    await findRun(store, runId);
    return ok(await api.ledger.erasure.run(runId, { reason, by: caller.name }));
  },
});
