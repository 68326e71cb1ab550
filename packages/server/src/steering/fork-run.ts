import { internalsOf } from "@runledger/runtime/ledger/internals";
import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import type { ForkOptions } from "@runledger/runtime/runs/fork-plan";
import { type ForkPreview, previewOf } from "@runledger/runtime/runs/fork-run";
import { readHeader } from "@runledger/runtime/runs/read-run";
import { asWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { Caller } from "../auth/caller.js";
import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { byRun, findRun } from "../runs/find-run.js";

const forkRequest = z
  .strictObject({
    from: identifier.meta({
      description: "Step at which the fork starts. It runs again with all steps that depend on it.",
    }),
    version: identifier
      .optional()
      .meta({ description: "Version of the workflow to use. Defaults to the version of the run." }),
    input: z.unknown().optional().meta({ description: "Input of the fork. Defaults to the input of the run." }),
    requestId: identifier
      .optional()
      .meta({ description: "Idempotency key: a repeated request returns the fork that the first one started." }),
    dryRun: z.boolean().optional().meta({ description: "`true` to preview the fork without starting it." }),
  })
  .meta({ id: "ForkRequest", description: "A fork of a run." });

const stepRange = z
  .union([z.string(), z.object({ container: z.string(), from: z.int(), to: z.int(), step: z.string() })])
  .meta({ id: "StepRange", description: "A step, or the items `from` to `to` of one step inside a container." });

const forkOutcome = z
  .object({
    dryRun: z.boolean(),
    runId: z.string().optional().meta({ description: "Id of the fork. Absent in a dry run." }),
    created: z
      .boolean()
      .optional()
      .meta({ description: "`false` if an earlier request with the same `requestId` started the fork." }),
    origin: z
      .object({ runId: z.string(), seq: z.int(), from: z.string() })
      .meta({ description: "The forked run, its seq, and the step at which the fork starts." }),
    workflow: z.string(),
    version: z.string(),
    kept: z.array(stepRange).meta({ description: "Completed steps whose results the fork keeps." }),
    goesOn: z
      .array(stepRange)
      .meta({ description: "Containers that continue with the recorded results of their closures." }),
    runs: z.array(stepRange).meta({ description: "Steps that run, as far as they are known." }),
  })
  .meta({ id: "ForkOutcome", description: "A fork, or its preview." });

export const forkRun = route({
  method: "POST",
  path: "/runs/{runId}/fork",
  operationId: "forkRun",
  tag: "steering",
  summary: "Fork a run",
  description:
    "Starts a new run at a step of an existing one and keeps the results of earlier steps. The existing run does not change. With `dryRun`, the call only reports what the fork would keep and run.",
  role: "operator",
  params: byRun,
  body: forkRequest,
  maxBodyBytes: 512 * 1024,
  responses: {
    202: { description: "The fork is queued", schema: forkOutcome },
    200: {
      description: "The preview, or a fork that an earlier request with the same `requestId` started",
      schema: forkOutcome,
    },
  },
  problems: [
    "RUN_NOT_FOUND",
    "WORKFLOW_NOT_FOUND",
    "FORK_INVALID",
    "SCHEMA_MISMATCH",
    "REQUEST_CHANGED",
    "RUN_DELETED",
    "QUEUE_FULL",
  ],
  handle: async ({ params: { runId }, body: request, caller, store, api, quota }) => {
    quota.countStarts(1);
    const { planId } = await readHeader(api.ledger.store, await findRun(store, runId));
    const { dryRun = false, version, ...fields } = request;
    const target =
      version === undefined ? {} : { version: await resolveVersion(api, caller, { planId: planId ?? "", version }) };
    const options: ForkOptions = { ...omitUndefined(fields), from: fields.from, by: caller.name, ...target };
    if (dryRun) return ok({ dryRun, ...toOutcome(await api.ledger.previewFork(runId, options), fields.from) });
    const { runId: id, created, fork } = await internalsOf(api.ledger).startFork(runId, options);
    const body = { dryRun, ...toOutcome(previewOf(fork), fields.from), runId: id, created };
    const location = `/api/v1/runs/${encodeURIComponent(id)}`;
    return { status: created ? 202 : 200, body, headers: { location } };
  },
});

function toOutcome({ runId, seq, ...preview }: ForkPreview, from: string) {
  return { origin: { runId, seq, from }, ...preview };
}

/** Returns the workflow if this server has it, so that its schema checks the input. */
async function resolveVersion(
  api: Api,
  { tenantId }: Caller,
  { planId, version }: { readonly planId: string; readonly version: string },
): Promise<NonNullable<ForkOptions["version"]>> {
  const workflow = await api.workflows.find(planId, version, tenantId).catch(() => null);
  return workflow === null ? version : asWorkflow(workflow);
}
