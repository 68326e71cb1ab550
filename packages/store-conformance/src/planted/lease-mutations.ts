/** Faults in leases, one per mutation. */
import { omitUndefined, type Leases, type StateStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const leases = (change: (real: Leases, store: StateStore) => Partial<Leases>): Mutation => ({
  store: (real) => ({ leases: overlay(real.leases!, change(real.leases!, real)) }),
});

export const leaseMutations: Readonly<Record<string, () => Mutation>> = {
  "a run that cannot exist is leased": () =>
    leases((real) => ({
      acquireLeases: async (params) => {
        const known = params.runIds.filter((runId) => runId.length > 0 && !runId.includes("|"));
        const granted = await real.acquireLeases({ ...params, runIds: known });
        const made = params.runIds.filter((runId) => !known.includes(runId));
        const leased = made.map((runId) => ({ runId, epoch: 1, takenFrom: null, headSeq: 0 }));
        return { ...granted, leases: [...granted.leases, ...leased] };
      },
    })),
  "epochs stay": () =>
    leases((real) => ({
      acquireLeases: async (params) => {
        const granted = await real.acquireLeases(params);
        return { ...granted, leases: granted.leases.map((lease) => ({ ...lease, epoch: 1 })) };
      },
    })),
  "leases do not name the previous owner": () =>
    leases((real) => ({
      acquireLeases: async (params) => {
        const granted = await real.acquireLeases(params);
        return { ...granted, leases: granted.leases.map((lease) => ({ ...lease, takenFrom: null, headSeq: 0 })) };
      },
    })),
  "a live owner is robbed": () =>
    leases((real, store) => ({
      acquireLeases: async (params) => {
        const heads = await store.fetchHeads(params.runIds);
        for (const head of heads)
          if (head.leaseOwner !== null && head.leaseOwner !== params.workerId) await real.retireWorker(head.leaseOwner);
        return real.acquireLeases(params);
      },
    })),
  "workers without a heartbeat may acquire": () =>
    leases((real) => ({
      acquireLeases: async (params) => {
        await real.heartbeat({ workerId: params.workerId, ttlMs: 60_000 });
        return real.acquireLeases(params);
      },
    })),
  "asking again takes a new epoch": () =>
    leases((real, store) => ({
      acquireLeases: async (params) => {
        const heads = await store.fetchHeads(params.runIds);
        const own = heads.filter((head) => head.leaseOwner === params.workerId);
        const given = own.map((head) => ({ runId: head.runId, epoch: head.leaseEpoch }));
        await real.releaseLeases({ workerId: params.workerId, leases: given });
        return real.acquireLeases(params);
      },
    })),
  "leases never end": () =>
    leases((real) => ({
      heartbeat: ({ workerId }) => real.heartbeat({ workerId, ttlMs: 3_600_000 }),
      retireWorker: async () => {},
    })),
  "a heartbeat does not renew": () => {
    const known = new Set<string>();
    return leases((real) => ({
      heartbeat: async (params) => {
        const first = !known.has(params.workerId);
        known.add(params.workerId);
        return first ? real.heartbeat(params) : { now: new Date().toISOString(), expiresAt: new Date().toISOString() };
      },
    }));
  },
  "leases are not released": () => leases(() => ({ releaseLeases: async () => {} })),
  "any worker may release": () =>
    leases((real, store) => ({
      releaseLeases: async ({ leases: given }) => {
        for (const head of await store.fetchHeads(given.map(({ runId }) => runId)))
          if (head.leaseOwner !== null)
            await real.releaseLeases({
              workerId: head.leaseOwner,
              leases: [{ runId: head.runId, epoch: head.leaseEpoch }],
            });
      },
    })),
  "the plans of workers are not kept": () =>
    leases((real) => ({ heartbeat: ({ workerId, ttlMs }) => real.heartbeat({ workerId, ttlMs, plans: [] }) })),
  "the dead are not listed": () =>
    leases((real) => ({
      listWorkers: async () => {
        const { now, workers } = await real.listWorkers();
        return { now, workers: workers.filter(({ expiresAt }) => expiresAt > now) };
      },
    })),
  "times are missing": () =>
    leases((real) => ({
      heartbeat: async (params) => ({ ...(await real.heartbeat(params)), expiresAt: "1970-01-01T00:00:00.000Z" }),
    })),
  "releasing resets the epoch": () => ({
    log: (real) => ({
      appendEvents: async (events, { fence, ...options } = {}) =>
        real.appendEvents(
          events,
          fence === undefined || fence > 1 ? { ...options, ...omitUndefined({ fence }) } : options,
        ),
    }),
  }),
  "archived runs are leased": () =>
    leases((real) => ({
      acquireLeases: async (params) => {
        const granted = await real.acquireLeases(params);
        const leased = params.runIds.map((runId) => ({ runId, epoch: 9, takenFrom: null, headSeq: 0 }));
        return { ...granted, leases: granted.leases.length > 0 ? granted.leases : leased };
      },
    })),
};
