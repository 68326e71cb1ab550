import { z } from "zod";
import { instant } from "./values.js";

const planRef = z.object({ planId: z.string(), planVersion: z.string() }).meta({ id: "PlanRef" });

const worker = z
  .object({
    workerId: z.string(),
    alive: z.boolean(),
    expiresAt: instant.meta({ description: "It counts as lost from here on, unless it says something before" }),
    lastHeartbeatAt: instant.nullable().meta({ description: "Null = not known" }),
    logFormat: z.int().meta({ description: "The newest format of logs that it reads" }),
    plans: z.array(planRef).meta({ description: "What it can run" }),
    runs: z
      .array(planRef.extend({ runId: z.string() }))
      .meta({ description: "The caller's runs that it drives, at most 200; one that waits is nobody's" }),
  })
  .meta({ id: "WorkerInfo", description: "A worker as its heartbeats describe it" });

const unservedPlan = planRef
  .extend({
    logFormat: z.int(),
    missing: z.enum(["plan", "logFormat"]),
    openRuns: z.int().nullable().meta({ description: "Null = the caller may not act for all tenants" }),
    reason: z.string(),
  })
  .meta({ id: "UnservedPlan" });

export const workerList = z
  .object({
    now: instant.meta({ description: "By the store's clock, which all these times are by" }),
    items: z.array(worker),
    unserved: z.array(unservedPlan).meta({ description: "What open runs need and no worker has" }),
  })
  .meta({ id: "WorkerList" });
