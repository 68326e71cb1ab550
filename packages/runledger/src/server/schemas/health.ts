import { z } from "zod";
import { instant } from "./values.js";

const alert = z
  .object({
    at: instant,
    code: z.string(),
    severity: z.enum(["P1", "P2"]).meta({ description: "P1 = somebody must act; P2 = somebody should know" }),
    message: z.string(),
    runId: z.string().optional(),
    remedy: z.string().meta({ description: "What to do" }),
  })
  .meta({ id: "Alert" });

export const health = z
  .object({
    at: instant,
    version: z.string(),
    upSeconds: z.number().meta({ description: "Since this process was started" }),
    ready: z.boolean(),
    notReady: z.array(z.object({ part: z.string(), reason: z.string() })),
    store: z.object({ roundTripMs: z.number().nullable().meta({ description: "Null = it does not answer" }) }),
    appends: z
      .object({
        total: z.number().meta({ description: "Events that this process has appended; two answers give a rate" }),
        p50Ms: z.number().nullable().meta({ description: "The bucket that half of the appends were within" }),
        p99Ms: z.number().nullable(),
      })
      .nullable()
      .meta({ description: "Null = this process runs no steps, or the caller may not act for all tenants" }),
    projector: z
      .object({
        lagSeconds: z.number(),
        backlogRuns: z.number(),
        staleRuns: z.number(),
        eventsTotal: z.number().nullable().meta({ description: "Null = the caller may not act for all tenants" }),
        p99LagMs: z.number().nullable(),
      })
      .nullable()
      .meta({ description: "Null = another process does it" }),
    workers: z.object({ alive: z.int(), lost: z.int() }),
    openStreams: z.int().nullable().meta({ description: "Null = the caller may not act for all tenants" }),
    alerts: z.array(alert).meta({ description: "The last 100 of this process, newest first" }),
  })
  .meta({ id: "Health" });
