import { limitScopes } from "@runledger/contracts";
import { z } from "zod";
import { identifier, instant, pageOf, wholeNumber } from "./values.js";

const limitTarget = {
  scope: z.enum(limitScopes),
  subject: z
    .string()
    .max(511)
    .meta({
      description:
        "Overall: empty. Tenant and workflow: the id. Project and concurrency key: tenant|id. `*` = every one that has no " +
        "limit of its own",
    }),
};

const count = z.int().min(0).max(1_000_000_000).nullable();

const allowed = {
  maxRunning: count.meta({ description: "Runs that run at a time; null = any number" }),
  rate: z
    .strictObject({
      starts: z.int().min(1).max(1_000_000),
      perMs: z
        .int()
        .min(1)
        .max(31 * 24 * 3_600_000),
    })
    .nullable()
    .meta({ description: "In any stretch of `perMs` at most so many begin; null = any number" }),
  maxQueued: count.meta({ description: "Runs that may wait; one more is refused. Null = any number" }),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .nullable()
    .meta({ description: "Of a tenant: who is served first. Of a project or workflow: added to that of its runs" }),
};

export const limit = z.object({ ...limitTarget, ...allowed }).meta({ id: "Limit" });

export const limitRequest = z
  .strictObject({
    ...limitTarget,
    maxRunning: allowed.maxRunning.optional(),
    rate: allowed.rate.optional(),
    maxQueued: allowed.maxQueued.optional(),
    priority: allowed.priority.optional(),
  })
  .meta({ id: "LimitRequest", description: "All of a limit: what is left out is not limited" });

export const limitList = z.object({ items: z.array(limit) }).meta({ id: "LimitList" });

export const limitQuery = z.strictObject({ ...limitTarget, subject: limitTarget.subject.optional() });

export const limitRemoved = z
  .object({ removed: z.boolean().meta({ description: "False = there was none" }) })
  .meta({ id: "LimitRemoved" });

const waitReason = z
  .object({
    kind: z.enum(["delayed", "paused", "approval", "signal", "timer", "child", "worker", "limit", "turn"]),
    text: z.string().meta({ description: "In words" }),
    until: instant.nullable().optional().meta({ description: "When that is over by itself" }),
    stepId: z.string().optional(),
    signal: z.string().optional(),
    runId: z.string().optional().meta({ description: "Of a child" }),
    ahead: z.int().optional().meta({ description: "So many others are served first" }),
    target: z.object({ scope: z.enum(limitScopes), subject: z.string() }).optional(),
    what: z.enum(["running", "rate"]).optional(),
    value: z.int().optional().meta({ description: "Of a limit" }),
    holders: z.array(z.string()).optional().meta({ description: "Some of the caller's runs that hold the limit" }),
    freeAt: instant.nullable().optional().meta({ description: "When a rate lets another one begin" }),
    message: z.string().optional(),
  })
  .meta({ id: "WaitReason" });

export const queuedRun = z
  .object({
    runId: identifier,
    where: z.enum(["queued", "running", "answering", "waiting", "ended"]),
    reasons: z.array(waitReason).meta({ description: "Why it does not run; none = a worker has it, or takes it next" }),
    position: z.int().nullable().meta({ description: "1 = it is next; null = it does not wait for its turn" }),
    expectedAt: instant.nullable().meta({ description: "As fast as runs begin of late; null = nobody can tell" }),
    planId: z.string(),
    planVersion: z.string(),
    projectId: z.string(),
    concurrencyKey: z.string().nullable(),
    priority: z.int(),
    queuedAt: instant.nullable(),
    startedAt: instant.nullable().meta({ description: "Null = it is queued" }),
    dueAt: instant.nullable(),
    owner: z.string().nullable().meta({ description: "The worker that has it" }),
  })
  .meta({ id: "QueuedRun", description: "A run as it stands in the queue" });

const queueCounts = z
  .object({ queued: z.int(), running: z.int(), waiting: z.int() })
  .meta({ id: "QueueCounts", description: "Of the caller's tenant: not begun, running, and begun without a slot" });

export const queuePage = pageOf("QueuePage", queuedRun).extend({ counts: queueCounts }).meta({ id: "QueuePage" });

export const queueQuery = z.strictObject({
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 100).optional().meta({ description: "Default 50" }),
});
