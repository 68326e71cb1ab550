import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { RunHead, TenantStore } from "@runledger/contracts";
import { isTerminal, parseDuration } from "@runledger/core";
import { isWhole } from "@runledger/runtime/cache/cached-runs";
import { stateAt } from "@runledger/runtime/projector/state-at";
import { readHeader } from "@runledger/runtime/runs/read-run";
import { resultOfState } from "@runledger/runtime/runs/run-result";
import type { Api } from "../http/api.js";
import { ok, route } from "../http/define-route.js";
import { etagHeader, etagOf, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { atSeq, byRun, checkSeq, findRun } from "./find-run.js";
import { run } from "./run-schema.js";

/** Less than the server's time limit for a response. */
const MAX_WAIT_MS = 28_000;
const POLL_MS = 200;

const wait = z
  .string()
  .refine((text) => parseDuration(text) !== null, "must be a duration, such as 30s")
  .optional()
  .meta({
    description:
      "Waits up to this long for the run to finish, such as `30s`, then returns it as it is. The server responds after 28 " +
      "seconds at the latest.",
  });

interface Stores {
  readonly store: TenantStore;
  readonly api: Api;
}

export const getRun = route({
  method: "GET",
  path: "/runs/{runId}",
  operationId: "getRun",
  tag: "runs",
  summary: "Get a run",
  description:
    "Returns the run without its steps. Use `listSteps` for the steps. A completed run has its output and artifacts.",
  role: "viewer",
  params: byRun,
  query: z.strictObject({ atSeq, wait }),
  responses: { 200: { description: "The run", schema: run }, ...notModifiedResponse },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, headers, store, api }) => {
    const head = await finishedHead({ store, api }, runId, parseDuration(query.wait ?? "0s") ?? 0);
    const seq = checkSeq(head, query.atSeq);
    const etag = etagOf(api.ledger.store, seq);
    if (matchesEtag(headers, etag)) return notModified(etag);
    const header =
      seq === head.headSeq
        ? await api.cachedRuns.readRun(head)
        : await resultOfState(api.ledger.store, await stateAt(api.ledger.store, runId, seq));
    return ok(header, etagHeader(isWhole(header) ? etag : null));
  },
});

/** Returns the head as soon as the run is finished, or when the time has passed. */
async function finishedHead({ store, api }: Stores, runId: string, waitMs: number): Promise<RunHead> {
  const until = performance.now() + Math.min(waitMs, MAX_WAIT_MS);
  let head = await api.cachedRuns.findRun(store, runId);
  for (let readSeq = -1; performance.now() < until; head = await findRun(store, runId)) {
    const mayHaveChanged = head.headSeq > readSeq || !api.ledger.store.capabilities.contiguous; // a gap may have filled (P10)
    if (mayHaveChanged && isTerminal((await readHeader(api.ledger.store, head)).status)) break;
    readSeq = head.headSeq;
    await sleep(POLL_MS);
  }
  return head;
}
