/** Faults in the queue, one per mutation. */
import {
  type Checkpoint,
  newEvent,
  type Leases,
  type Limits,
  type NewEvent,
  type ParkParams,
  type RunQueue,
  type RunStart,
  type StateStore,
} from "@runledger/contracts";
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

const otherEvent = (runId: string): NewEvent =>
  newEvent({ runId, eventType: "RunStarted", planId: "other", planVersion: "1", eventData: {} });

/** Parks with what the store has now instead of what the caller saw. */
const parks = (change: (store: StateStore, params: ParkParams) => Promise<Partial<ParkParams>>): Mutation => ({
  store: (real) => ({
    queue: overlay(real.queue!, {
      parkRun: async (params) => real.queue!.parkRun({ ...params, ...(await change(real, params)) }),
    }),
  }),
});

export const queueMutations: Readonly<Record<string, () => Mutation>> = {
  "a request starts a run each time": () => {
    let count = 0;
    return starts((start) => ({ ...start, startKey: `${start.startKey} ${count++}` }));
  },
  "a worker of a tenant claims everything": () =>
    queue((real) => ({ claimRuns: ({ tenants: _, ...params }) => real.claimRuns(params) })),
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
  "workers without a heartbeat may claim": () =>
    queue((real, leases) => ({
      claimRuns: async (params) => {
        await leases.heartbeat({ workerId: params.workerId, ttlMs: 60_000 });
        return real.claimRuns(params);
      },
    })),
  "waiting runs are not woken": () =>
    queue((real) => ({ parkRun: (params) => real.parkRun({ ...params, epoch: params.epoch, wakes: -1 }) })),
  "parking ignores the epoch": () =>
    parks(async (store, { runId }) => ({ epoch: (await store.fetchHeads([runId]))[0]?.leaseEpoch ?? 1 })),
  "parking ignores the head": () =>
    parks(async (store, { runId }) => ({ expectedSeq: (await store.fetchHeads([runId]))[0]?.headSeq ?? 1 })),
  "parking ignores wake-ups": () =>
    parks(async (store, { workerId, runId, wakes }) => {
      const { runs } = await store.queue!.heldRuns(workerId);
      return { wakes: runs.find((run) => run.runId === runId)?.wakes ?? wakes };
    }),
  "runs that do not exist are parked": () =>
    queue((real) => ({
      parkRun: (params) => (params.runId === "absent" ? Promise.resolve() : real.parkRun(params)),
    })),
  "operators wait until now": () =>
    queue((real) => ({
      parkRun: (params) =>
        real.parkRun(params.unanswered === true ? { ...params, wakeAt: new Date(0).toISOString() } : params),
    })),
  "parking saves any checkpoint": () => {
    const saved = new Map<string, Checkpoint>();
    return {
      store: (real) => ({
        queue: overlay(real.queue!, {
          parkRun: async (params) => {
            await real.queue!.parkRun(params);
            if (params.checkpoint !== null) saved.set(params.runId, params.checkpoint);
          },
        }),
        checkpoints: {
          loadCheckpoint: async (runId) => saved.get(runId) ?? real.checkpoints!.loadCheckpoint(runId),
        },
      }),
    };
  },
  "children need no epoch": () => without("parent"),
  "wake-ups are lost": () => ({ append: (next, events, { wakes: _, ...options } = {}) => next(events, options) }),
  "repeated appends wake again": () => {
    let extra = 0;
    return {
      append: async (next, events, options = {}) => {
        const results = await next(events, options);
        if (options.wakes !== undefined && results.every(({ idempotent }) => idempotent))
          await next([otherEvent(`extra-${extra++}`)], { wakes: options.wakes });
        return results;
      },
    };
  },
  "parking answers an action": () =>
    queue((real) => ({ parkRun: ({ unanswered: _, ...params }) => real.parkRun(params) })),
  "operators' actions wait for a slot": () => ({
    append: (next, events, { acts: _, ...options } = {}) => next(events, options),
  }),
  "ends are forgotten": () => ({ append: (next, events, { ends: _, ...options } = {}) => next(events, options) }),
  "reopened runs are not queued again": () => ({
    append: (next, events, { enqueues: _, ...options } = {}) => next(events, options),
  }),
  "runs are not inspected": () => queue(() => ({ inspectRun: async () => null })),
  "ended runs are inspected": () => {
    let last: Awaited<ReturnType<RunQueue["inspectRun"]>> = null;
    return queue((real) => ({ inspectRun: async (runId) => (last = (await real.inspectRun(runId)) ?? last) }));
  },
  "pages of the queue ignore their start": () =>
    queue((real) => ({ listQueue: ({ afterRunId: _, ...page }) => real.listQueue(page) })),
  "limits are not kept": () => limits(() => ({ setLimit: async () => {} })),
  "limits are not checked": () => limits((real) => ({ setLimit: (limit) => real.setLimit(limit).catch(() => {}) })),
  "limits stay": () => limits(() => ({ removeLimit: async () => true })),
};
