import { z } from "zod";
import { readWorkers } from "@runledger/runtime/runs/read-workers";
import { ok, route } from "../http/define-route.js";
import { instant } from "../http/schemas.js";

const planRef = z
  .object({ planId: z.string(), planVersion: z.string() })
  .meta({ id: "PlanRef", description: "A version of a workflow." });

const workerInfo = z
  .object({
    workerId: z.string().meta({
      description: "A caller of one tenant sees a name that differs from those that other tenants see.",
    }),
    alive: z.boolean(),
    expiresAt: instant.meta({
      description: "The worker counts as lost after this time, unless it sends a heartbeat before.",
    }),
    lastHeartbeatAt: instant.nullable().meta({ description: "`null` if unknown." }),
    logFormat: z.int().meta({ description: "Newest log format that the worker supports." }),
    plans: z.array(planRef).meta({ description: "Workflow versions that the worker can run." }),
    runs: z.array(planRef.extend({ runId: z.string() })).meta({
      description: "Runs of the caller's tenant that the worker drives, at most 200. Waiting runs have no worker.",
    }),
  })
  .meta({ id: "WorkerInfo", description: "A worker as its heartbeats describe it." });

const unservedPlan = planRef
  .extend({
    logFormat: z.int().meta({ description: "Log format of the runs." }),
    missing: z.enum(["plan", "logFormat"]).meta({ description: "The part that no worker supports." }),
    openRuns: z
      .int()
      .nullable()
      .meta({ description: "Number of open runs. `null` if the caller may not act for all tenants." }),
    reason: z.string().meta({ description: "The reason as a sentence." }),
  })
  .meta({ id: "UnservedPlan", description: "A workflow version that open runs need and no worker has." });

const workerList = z
  .object({
    now: instant.meta({ description: "Current time of the store's clock, which all times here use." }),
    items: z.array(workerInfo),
    unserved: z.array(unservedPlan).meta({ description: "Workflow versions that open runs need and no worker has." }),
  })
  .meta({ id: "WorkerList", description: "Workers and workflow versions without a worker." });

export const listWorkers = route({
  method: "GET",
  path: "/workers",
  operationId: "listWorkers",
  tag: "operations",
  summary: "List workers",
  description: "Returns live workers, and workers lost in the last 24 hours, with the runs that they drive.",
  role: "viewer",
  responses: { 200: { description: "Live and lost workers", schema: workerList } },
  problems: [],
  handle: async ({ caller, store, api }) => ok(await readWorkers(api.ledger.store, store, caller)),
});
