import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { datasetDetail, datasetText } from "./dataset-schema.js";

export const getDataset = route({
  method: "GET",
  path: "/dataset",
  operationId: "getDataset",
  tag: "datasets",
  summary: "Get a dataset",
  description:
    "Returns who wrote the dataset last, its freshness, the steps that use it, and the datasets before and after it. The name is a parameter of the query, because it may contain slashes.",
  role: "viewer",
  query: z.strictObject({
    name: datasetText,
    namespace: datasetText.optional().meta({ description: "Defaults to `runledger`." }),
  }),
  responses: { 200: { description: "The dataset", schema: datasetDetail } },
  problems: ["DATASET_NOT_FOUND"],
  handle: async ({ query: { name, namespace }, caller: { tenantId }, api }) =>
    ok(await api.ledger.datasets.get(name, { tenantId, ...omitUndefined({ namespace }) })),
});
