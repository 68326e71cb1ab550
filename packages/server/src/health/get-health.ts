import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { instant } from "../http/schemas.js";
import { readHealth } from "./read-health.js";

const alert = z
  .object({
    at: instant,
    code: z.string(),
    severity: z
      .enum(["critical", "warning"])
      .meta({ description: "`critical` if an operator must act; `warning` if an operator should know." }),
    message: z.string(),
    runId: z.string().optional().meta({ description: "Run that the alert is about." }),
    process: z.string().optional().meta({
      description:
        "Host and process id of the process that raised it. Absent if the caller may not act for all tenants.",
    }),
    remedy: z.string().meta({ description: "What to do about it." }),
  })
  .meta({ id: "Alert", description: "An alert of a server, a worker or another process on the same store." });

const health = z
  .object({
    at: instant,
    version: z.string().meta({ description: "Version of the server." }),
    upSeconds: z.number().meta({ description: "Seconds since this process started." }),
    ready: z.boolean().meta({ description: "`true` if `/readyz` returns 200." }),
    notReady: z
      .array(z.object({ part: z.string(), reason: z.string() }))
      .meta({ description: "Parts that keep the server from working." }),
    store: z.object({
      roundTripMs: z.number().nullable().meta({ description: "`null` if the store does not respond." }),
    }),
    appends: z
      .object({
        total: z.number().meta({ description: "Events that this process has appended since its start." }),
        p50Ms: z.number().nullable().meta({ description: "Upper bound of the histogram bucket." }),
        p99Ms: z.number().nullable().meta({ description: "Upper bound of the histogram bucket." }),
      })
      .nullable()
      .meta({ description: "`null` if this process runs no steps, or if the caller may not act for all tenants." }),
    projector: z
      .object({
        lagSeconds: z.number().meta({ description: "Age of the oldest event that is not projected yet." }),
        backlogRuns: z.number().meta({ description: "Runs with events that are not projected yet." }),
        staleRuns: z.number().meta({ description: "Runs that readers see as stale." }),
        eventsTotal: z
          .number()
          .nullable()
          .meta({ description: "Projected events since the start. `null` if the caller may not act for all tenants." }),
        p99LagMs: z.number().nullable(),
      })
      .nullable()
      .meta({
        description:
          "Projections in the store. `null` until the server has measured their lag. `backlogRuns`, `eventsTotal` and `p99LagMs` describe the projector of this process.",
      }),
    workers: z.object({
      alive: z.int(),
      lost: z.int().meta({ description: "Workers whose heartbeats stopped within the last 24 hours." }),
    }),
    openStreams: z.int().nullable().meta({ description: "`null` if the caller may not act for all tenants." }),
    alerts: z.array(alert).meta({
      description:
        "The last 100 alerts of this process, and of others on the same store in the last 24 hours, newest first.",
    }),
  })
  .meta({ id: "Health", description: "Health of the system as one server process sees it." });

export const getHealth = route({
  method: "GET",
  path: "/health",
  operationId: "getHealth",
  tag: "operations",
  summary: "Get the health of the system",
  description:
    "Returns the state of store, projector and workers, and recent alerts, as this process sees them. Use `/healthz`, `/readyz` and `/metrics` for monitoring.",
  role: "viewer",
  responses: { 200: { description: "The health of the system", schema: health } },
  problems: [],
  handle: async ({ caller, store, api }) => ok(await readHealth(api, store, caller)),
});
