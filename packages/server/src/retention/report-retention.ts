import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { retentionFields } from "./retention-policy.js";

const count = z.int().min(0);

const dueGroup = z
  .object({
    tenantId: z.string(),
    workflowId: z.string().meta({ description: "Empty for runs that another engine recorded without a workflow." }),
    ...retentionFields,
    toArchive: count.meta({ description: "Runs that the next pass archives. Counts stop at 10,000." }),
    toDelete: count.meta({ description: "Runs that the next pass deletes, archived or not. Counts stop at 10,000." }),
  })
  .meta({ id: "DueRuns", description: "The due runs of one workflow." });

const report = z.object({ items: z.array(dueGroup) }).meta({ id: "RetentionReport" });

export const reportRetention = route({
  method: "GET",
  path: "/retention/report",
  operationId: "reportRetention",
  tag: "retention",
  summary: "Report what the retention policies would do now",
  description: "Changes nothing. A caller for all tenants sees all tenants, others see their own.",
  role: "viewer",
  isLargeRead: true,
  responses: { 200: { description: "Due runs, ordered by tenant and workflow", schema: report } },
  problems: [],
  handle: async ({ caller, api }) => {
    const tenant = caller.allTenants ? {} : { tenantId: caller.tenantId };
    return ok({ items: await api.ledger.retention.report(tenant) });
  },
});
