/** What can go wrong in the queue, one fault each. */
import type { Leases, Limits, RunQueue, RunStart } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const queue = (change: (real: RunQueue, leases: Leases) => Partial<RunQueue>): Mutation => ({
  store: (real) => ({ queue: overlay(real.queue!, change(real.queue!, real.leases!)) }),
});
const limits = (change: (real: Limits) => Partial<Limits>): Mutation => ({
  store: (real) => ({ limits: overlay(real.limits!, change(real.limits!)) }),
});
const starts = (change: (start: RunStart) => RunStart): Mutation =>
  queue((real) => ({ startRun: (start) => real.startRun(change(start)) }));
const without = (...names: readonly (keyof RunStart)[]): Mutation =>
  starts(
    (start) => Object.fromEntries(Object.entries(start).filter(([name]) => !names.includes(name as never))) as never,
  );

export const queueMutations: Readonly<Record<string, () => Mutation>> = {
  "a request starts a run each time": () => {
    let count = 0;
    return starts((start) => ({ ...start, startKey: `${start.startKey} ${count++}` }));
  },
  "versions do not know each other": () => without("dedupeKey"),
  "everything starts at once": () => without("startAt"),
  "keys are lost": () => without("concurrencyKey"),
  "all tenants are one": () => starts((start) => ({ ...start, tenantId: "default" })),
  "priorities are lost": () => starts((start) => ({ ...start, priority: 0 })),
  "a start says that it is limited": () =>
    queue((real) => ({ startRun: async (start) => ({ ...(await real.startRun(start)), limited: true }) })),
  "workers know everything": () =>
    queue((real) => ({
      claimRuns: (params) => {
        const [plan] = params.plans;
        const more = ["0.9.0", "1.0.0", "9"].map((planVersion) => ({ planId: plan!.planId, planVersion }));
        return real.claimRuns({ ...params, plans: [...params.plans, ...more], logFormat: 9 });
      },
    })),
  "anybody may claim": () =>
    queue((real, leases) => ({
      claimRuns: async (params) => {
        await leases.heartbeat({ workerId: params.workerId, ttlMs: 60_000 });
        return real.claimRuns(params);
      },
    })),
  "who waits is not woken": () =>
    queue((real) => ({ parkRun: (params) => real.parkRun({ ...params, epoch: params.epoch, wakes: -1 }) })),
  "who parks has answered": () =>
    queue((real) => ({ parkRun: ({ unanswered: _, ...params }) => real.parkRun(params) })),
  "operators wait like everybody": () => ({
    append: (next, events, { acts: _, ...options } = {}) => next(events, options),
  }),
  "ends are forgotten": () => ({ append: (next, events, { ends: _, ...options } = {}) => next(events, options) }),
  "nobody is queued again": () => ({
    append: (next, events, { enqueues: _, ...options } = {}) => next(events, options),
  }),
  "nobody is inspected": () => queue(() => ({ inspectRun: async () => null })),
  "ended runs are inspected": () => {
    let last: Awaited<ReturnType<RunQueue["inspectRun"]>> = null;
    return queue((real) => ({ inspectRun: async (runId) => (last = (await real.inspectRun(runId)) ?? last) }));
  },
  "pages of the queue begin anew": () =>
    queue((real) => ({ listQueue: ({ afterRunId: _, ...page }) => real.listQueue(page) })),
  "limits are not kept": () => limits(() => ({ setLimit: async () => {} })),
  "limits are not checked": () => limits((real) => ({ setLimit: (limit) => real.setLimit(limit).catch(() => {}) })),
  "limits stay": () => limits(() => ({ removeLimit: async () => true })),
};
