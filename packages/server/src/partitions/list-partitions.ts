import { z } from "zod";
import { omitUndefined } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { byWorkflow } from "../workflows/get-workflow.js";
import { partitionKey, partitionList, partitionPlace } from "./partition-schema.js";

const partitionQuery = z.strictObject({
  from: partitionKey.optional().meta({ description: "First partition. Without it, the last 100 up to `to`." }),
  to: partitionKey.optional().meta({ description: "Last partition. Defaults to the last complete one." }),
  ...partitionPlace,
});

export const listPartitions = route({
  method: "GET",
  path: "/workflows/{workflowId}/partitions",
  operationId: "listPartitions",
  tag: "workflows",
  summary: "List the partitions of a workflow",
  description:
    "Returns at most 1,000 partitions with the states of their newest runs. A day or an hour is a partition once it has passed.",
  role: "viewer",
  isLargeRead: true,
  params: byWorkflow,
  query: partitionQuery,
  responses: { 200: { description: "The partitions", schema: partitionList } },
  problems: ["WORKFLOW_NOT_FOUND", "OPTION_INVALID"],
  handle: async ({ params: { workflowId }, query, caller: { tenantId }, api }) => {
    const selected = { ...omitUndefined(query), tenantId };
    const { partitions, ...list } = await api.ledger.partitions.read(workflowId, selected);
    const timeZone = (partitions.by === "day" ? partitions.timeZone : undefined) ?? null;
    return ok({ by: partitions.by, timeZone, ...list });
  },
});
