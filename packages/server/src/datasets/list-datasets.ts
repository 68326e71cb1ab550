import { z } from "zod";
import { InputError, omitUndefined, type DatasetName } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, limitParam, pageOf } from "../http/schemas.js";
import { dataset, datasetText } from "./dataset-schema.js";

/** Two names of 255 characters have at most 1537 bytes as JSON. A longer URL would be refused without an explanation. */
const cursorText = z
  .string()
  .max(2100)
  .regex(/^[\w-]*$/, "must be a cursor of this list.");

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
    after: cursorText.optional().meta(afterParam),
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
    const next = found.length > limit && last !== undefined ? cursorOf(last) : null;
    return ok({ items, next });
  },
});

function cursorOf({ namespace, name }: DatasetName): string {
  return Buffer.from(JSON.stringify([namespace, name])).toString("base64url");
}

function readCursor(text: string): DatasetName {
  try {
    const [namespace, name] = z
      .tuple([datasetText, datasetText])
      .parse(JSON.parse(Buffer.from(text, "base64url").toString()));
    return { namespace, name };
  } catch {
    throw new InputError("REQUEST_INVALID", "after", "is not a cursor of this list. Use the next of a page.");
  }
}
