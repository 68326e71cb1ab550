import { z } from "zod";
import type { ForkOptions } from "../../ledger/fork-plan.js";
import { previewOf, type ForkPreview } from "../../ledger/fork-run.js";
import { asWorkflow } from "../../workflow/compiled-workflow.js";
import { present } from "../../workflow/present.js";
import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { readHeader } from "../runs/read-run.js";
import { forkOutcome, forkRequest } from "../schemas/fork.js";
import { identifier } from "../schemas/values.js";

export const forkRun = route({
  method: "POST",
  path: "/runs/{runId}/fork",
  operationId: "forkRun",
  tag: "steering",
  summary: "Start a run at a step of another one, keeping what came before it",
  description: "The other run is not touched. With `dryRun` it says what would be kept and what would run.",
  role: "operator",
  params: z.object({ runId: identifier }),
  body: forkRequest,
  maxBodyBytes: 512 * 1024,
  answers: {
    202: { description: "The fork is in the queue", schema: forkOutcome },
    200: { description: "What a fork would be, or the same request had started it before", schema: forkOutcome },
  },
  problems: ["RUN_NOT_FOUND", "WORKFLOW_NOT_FOUND", "FORK_INVALID", "SCHEMA_MISMATCH", "REQUEST_CHANGED", "QUEUE_FULL"],
  handle: async ({ params: { runId }, body: asked, caller, store, api }) => {
    const { planId } = await readHeader(api.ledger.store, await findRun(store, runId));
    const { dryRun = false, version, ...said } = asked;
    const target = version === undefined ? {} : { version: await knownVersion(api, planId ?? "", version) };
    const options: ForkOptions = { ...present(said), from: said.from, by: caller.name, ...target };
    if (dryRun) return ok({ dryRun, ...shown(await api.ledger.previewFork(runId, options), said.from) });
    const { runId: id, created, fork } = await api.ledger.startFork(runId, options);
    const body = { dryRun, ...shown(previewOf(fork), said.from), runId: id, created };
    const location = `/api/v1/runs/${encodeURIComponent(id)}`;
    return { status: created ? 202 : 200, body, headers: { location } };
  },
});

function shown({ runId, seq, ...preview }: ForkPreview, from: string) {
  return { origin: { runId, seq, from }, ...preview };
}

/** With its schemas, where this server knows them: an input is then read with those of the version it is for. */
async function knownVersion(api: Api, planId: string, version: string): Promise<NonNullable<ForkOptions["version"]>> {
  const known = await api.workflows.find(planId, version).catch(() => null);
  return known === null ? version : asWorkflow(known);
}
