import { z } from "zod";
import { InputError, omitUndefined, type DatasetName } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, limitParam, pageOf } from "../http/schemas.js";
import { dataset, datasetText } from "./dataset-schema.js";

const MAX_CURSOR = 4000;

export const listDatasets = route({
  method: "GET",
  path: "/datasets",
  operationId: "listDatasets",
  tag: "datasets",
  summary: "List datasets",
  description:
    "Returns the datasets that steps of the tenant's runs have read and written, by namespace and name, with their last write and freshness.",
  role: "viewer",
  query: z.strictObject({
    text: datasetText.optional().meta({ description: "A part of the name. Case-insensitive." }),
    after: z.string().max(MAX_CURSOR).optional().meta(afterParam),
    limit: limitParam(500, 100),
  }),
  responses: { 200: { description: "A page of datasets", schema: pageOf("DatasetPage", dataset) } },
  problems: [],
  isLargeRead: true,
  handle: async ({ query: { text, after, limit = 100 }, caller: { tenantId }, api }) => {
    const cursor = after === undefined ? undefined : readCursor(after);
    const page = { tenantId, ...omitUndefined({ text, after: cursor }), limit: limit + 1 };
    const found = await api.ledger.datasets.list(page);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = found.length > limit && last !== undefined ? JSON.stringify([last.namespace, last.name]) : null;
    return ok({ items, next });
  },
});

function readCursor(text: string): DatasetName {
  try {
    const [namespace, name] = z.tuple([datasetText, datasetText]).parse(JSON.parse(text));
    return { namespace, name };
  } catch {
    throw new InputError("REQUEST_INVALID", "after", "is not a cursor of this list. Use the next of a page.");
  }
}
