import { InputError, type RunFilter, type RunIndex } from "@runledger/contracts";
import { randomId } from "../../ledger/start-run.js";
import { ok, route } from "../http/define-route.js";
import { actOnRuns as actOnEach } from "../runs/act-on-runs.js";
import { toFilter } from "../runs/run-filter.js";
import { bulkOutcome, bulkRequest } from "../schemas/bulk.js";

const MOST_RUNS = 500;
const PAGE = 200;
/** A page may be short and still have a next one: how many are looked at is bounded, too. */
const MOST_PAGES = 20;

export const actOnRuns = route({
  method: "POST",
  path: "/runs/actions",
  operationId: "actOnRuns",
  tag: "steering",
  summary: "Steer many runs",
  description: "Each run answers for itself. With `dryRun` it says what would happen to each, and nothing does.",
  role: "operator",
  body: bulkRequest,
  answers: { 200: { description: "What became of each", schema: bulkOutcome } },
  problems: ["SIGNAL_LIMIT"],
  handle: async ({ body, caller, store, api }) => {
    const { action, filter, dryRun = false, requestId = randomId("req") } = body;
    if ((body.runIds === undefined) === (filter === undefined))
      throw new InputError("REQUEST_INVALID", "body.runIds", "say which runs: either runIds or filter.");
    const found =
      filter === undefined ? null : await fittingRuns(api.ledger.store.index, toFilter(caller.tenantId, filter));
    const runIds = body.runIds ?? found?.runIds ?? [];
    const items = await actOnEach(api.ledger, store, { action, runIds, dryRun, requestId, by: caller.name });
    const accepted = items.filter((item) => item.accepted).length;
    const refused = items.length - accepted;
    return ok({ action, dryRun, accepted, refused, more: found?.more ?? false, items });
  },
});

async function fittingRuns(
  index: RunIndex,
  filter: RunFilter,
): Promise<{ readonly runIds: readonly string[]; readonly more: boolean }> {
  const runIds: string[] = [];
  let place: { readonly cursor?: string } = {};
  for (let pages = 0; pages < MOST_PAGES && runIds.length < MOST_RUNS; pages++) {
    const limit = Math.min(PAGE, MOST_RUNS - runIds.length);
    const { runs, cursor } = await index.listRuns({ ...filter, ...place, limit });
    runIds.push(...runs.map(({ runId }) => runId));
    if (cursor === null) return { runIds, more: false };
    place = { cursor };
  }
  return { runIds, more: true };
}
