import { z } from "zod";
import { InputError, newId, type RunFilter, type RunIndex } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { bulkFilter, toFilter } from "../runs/run-filter.js";
import { actOnEach } from "./act-on-each.js";

const bulkActions = ["pause", "resume", "cancel", "retry"] as const;

const bulkRequest = z
  .strictObject({
    action: z.enum(bulkActions),
    runIds: z.array(identifier).min(1).max(500).optional().meta({ description: "Ids of the runs." }),
    filter: bulkFilter
      .optional()
      .meta({ description: "Selects the newest 500 matching runs instead of `runIds`. Use `dryRun` first." }),
    dryRun: z.boolean().optional().meta({ description: "`true` to preview the action without performing it." }),
    requestId: identifier.optional().meta({ description: "Idempotency key: a repeated call has no further effect." }),
  })
  .meta({ id: "BulkRequest", description: "An action on several runs. Set either `runIds` or `filter`." });

const bulkItem = z
  .object({
    runId: z.string(),
    accepted: z.boolean(),
    reason: z.string().optional().meta({ description: "Why the action was rejected, or would be." }),
    code: z.string().optional().meta({ description: "Error code of the rejection." }),
    runsAgainCount: z
      .int()
      .optional()
      .meta({ description: "In a dry run of a retry: number of steps that would run again." }),
    keptCount: z
      .int()
      .optional()
      .meta({ description: "In a dry run of a retry: number of completed steps that would be kept." }),
  })
  .meta({ id: "BulkItem", description: "The outcome for one run." });

const bulkOutcome = z
  .object({
    action: z.enum(bulkActions),
    dryRun: z.boolean(),
    accepted: z.int().meta({ description: "Number of runs that accepted the action." }),
    refused: z.int().meta({ description: "Number of runs that rejected the action." }),
    more: z.boolean().meta({ description: "`true` if more runs may match the filter." }),
    items: z.array(bulkItem),
  })
  .meta({ id: "BulkOutcome", description: "The outcome of an action on several runs." });

const MAX_RUNS = 500;
const PAGE_SIZE = 200;
/** Bounds the work, because a page may be shorter than its limit. */
const MAX_PAGES = 20;

export const actOnRuns = route({
  method: "POST",
  path: "/runs/actions",
  operationId: "actOnRuns",
  tag: "steering",
  summary: "Perform an action on many runs",
  description:
    "Each run accepts or rejects the action on its own. With `dryRun`, the call only reports what would happen.",
  role: "operator",
  body: bulkRequest,
  responses: { 200: { description: "The outcome for each run", schema: bulkOutcome } },
  problems: ["SIGNAL_LIMIT"],
  handle: async ({ body, caller, store, api }) => {
    const { action, filter, dryRun = false, requestId = newId("req") } = body;
    if ((body.runIds === undefined) === (filter === undefined))
      throw new InputError(
        "REQUEST_INVALID",
        "body.runIds",
        "must be set unless filter is. Send either runIds or filter.",
      );
    const found =
      filter === undefined ? null : await matchingRuns(api.ledger.store.index, toFilter(caller.tenantId, filter));
    const runIds = body.runIds ?? found?.runIds ?? [];
    const items = await actOnEach(api.ledger, store, { action, runIds, dryRun, requestId, by: caller.name });
    const accepted = items.filter((item) => item.accepted).length;
    const refused = items.length - accepted;
    return ok({ action, dryRun, accepted, refused, more: found?.more ?? false, items });
  },
});

async function matchingRuns(
  index: RunIndex,
  filter: RunFilter,
): Promise<{ readonly runIds: readonly string[]; readonly more: boolean }> {
  const runIds: string[] = [];
  let cursorParam: { readonly cursor?: string } = {};
  for (let pages = 0; pages < MAX_PAGES && runIds.length < MAX_RUNS; pages++) {
    const limit = Math.min(PAGE_SIZE, MAX_RUNS - runIds.length);
    const { runs, cursor } = await index.listRuns({ ...filter, ...cursorParam, limit });
    runIds.push(...runs.map(({ runId }) => runId));
    if (cursor === null) return { runIds, more: false };
    cursorParam = { cursor };
  }
  return { runIds, more: true };
}
