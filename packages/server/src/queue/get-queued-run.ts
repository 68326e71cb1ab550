import { z } from "zod";
import { limitScopes } from "@runledger/contracts";
import type { QueueAnswer, WhyOptions } from "@runledger/runtime/queue/ledger-queue";
import { workerName } from "@runledger/runtime/runs/reader";
import { reasonText } from "@runledger/runtime/queue/reason-text";
import type { Caller } from "../auth/caller.js";
import { ok, route } from "../http/define-route.js";
import { identifier, instant } from "../http/schemas.js";

const waitReason = z
  .object({
    kind: z.enum(["delayed", "paused", "approval", "signal", "timer", "child", "worker", "limit", "turn"]),
    text: z.string().meta({ description: "The reason as a sentence." }),
    until: instant
      .nullable()
      .optional()
      .meta({ description: "Time at which the wait ends without intervention. `null` if unknown." }),
    stepId: z.string().optional().meta({ description: "Step that waits." }),
    signal: z.string().optional().meta({ description: "Name of the signal, for `signal`." }),
    runId: z.string().optional().meta({ description: "The child run, for `child`." }),
    ahead: z.int().optional().meta({ description: "Number of runs that are served first, for `turn`." }),
    target: z
      .object({ scope: z.enum(limitScopes), subject: z.string() })
      .optional()
      .meta({ description: "The limit, for `limit`." }),
    what: z
      .enum(["running", "rate"])
      .optional()
      .meta({ description: "The exhausted part of the limit: `running` for `maxRunning`." }),
    value: z.int().optional().meta({ description: "Value of the limit." }),
    holders: z.array(z.string()).optional().meta({ description: "Some of the caller's runs that use up the limit." }),
    freeAt: instant.nullable().optional().meta({ description: "Time at which the rate allows another start." }),
    message: z.string().optional(),
  })
  .meta({ id: "WaitReason", description: "A reason why a run does not run." });

export const queuedRun = z
  .object({
    runId: identifier,
    where: z.enum(["queued", "running", "answering", "waiting", "ended"]).meta({
      description:
        "`answering` if a worker handles an operator's action without a slot; `ended` if the run has left the queue.",
    }),
    reasons: z
      .array(waitReason)
      .meta({ description: "Why the run does not run. Empty if a worker has it or claims it next." }),
    position: z.int().nullable().meta({
      description:
        "Position in the queue; 1 is next. `null` if the run does not wait for its turn. For a caller of one tenant, the position among the tenant's runs.",
    }),
    expectedAt: instant.nullable().meta({
      description:
        "Expected start at the recent rate of starts. `null` if unknown, or if it depends on runs of other tenants that the caller may not see.",
    }),
    planId: z.string(),
    planVersion: z.string(),
    projectId: z.string(),
    concurrencyKey: z.string().nullable(),
    priority: z.int(),
    queuedAt: instant.nullable(),
    startedAt: instant.nullable().meta({ description: "`null` if the run has not started." }),
    dueAt: instant.nullable().meta({ description: "Time before which no worker claims the run." }),
    owner: z.string().nullable().meta({ description: "Worker that drives the run. `null` if there is none." }),
  })
  .meta({ id: "QueuedRun", description: "An open run and why it does not run." });

export const getQueuedRun = route({
  method: "GET",
  path: "/queue/{runId}",
  operationId: "getQueuedRun",
  tag: "queue",
  summary: "Explain why a run is queued",
  description:
    "Returns the limit that holds the run back with its value and holders, the run's position and its expected start. Also " +
    "reports a run that is paused, delayed, without a worker, or waiting.",
  role: "viewer",
  params: z.object({ runId: identifier }),
  responses: { 200: { description: "The run in the queue", schema: queuedRun } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, caller, api }) =>
    ok(toQueuedRun(await api.ledger.queue.why(runId, ownRuns(caller)), caller)),
});

/** Fields of a run that has left the queue. */
const NOT_QUEUED = {
  position: null,
  expectedAt: null,
  planId: "",
  planVersion: "",
  projectId: "",
  concurrencyKey: null,
  priority: 0,
  queuedAt: null,
  startedAt: null,
  dueAt: null,
  owner: null,
};

/** A caller for one tenant learns nothing about the runs of others. */
export function ownRuns({ tenantId, allTenants }: Caller): WhyOptions {
  return { tenantId, hideOthers: !allTenants };
}

export function toQueuedRun(answer: QueueAnswer, caller: Caller) {
  const { runId, where } = answer;
  if (answer.where === "ended") return { runId, where, reasons: [], ...NOT_QUEUED };
  const { reasons, position, expectedAt } = answer;
  const { planId, planVersion, projectId, concurrencyKey, priority, queuedAt, startedAt, dueAt, owner } = answer.entry;
  return {
    runId,
    where,
    reasons: reasons.map((each) => ({ ...each, text: reasonText(each) })),
    position,
    expectedAt,
    planId,
    planVersion,
    projectId,
    concurrencyKey,
    priority,
    queuedAt,
    startedAt,
    dueAt,
    owner: owner === null ? null : workerName(owner, caller),
  };
}
