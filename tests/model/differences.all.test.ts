// @module-tag L-42
/** Tests the comparison itself: it finds a store that differs from the reference in one respect. */
import type { FullStateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { runSequences } from "./run-sequences.js";
import type { Target } from "./two-stores.js";

/** The reference with some methods replaced. */
function differing(change: (real: MemoryStore) => Partial<FullStateStore>): Target {
  let store = new MemoryStore();
  const fresh = async (): Promise<FullStateStore> => {
    store = new MemoryStore();
    return Object.assign(store, change(store));
  };
  return { fresh, reopen: async () => store, close: async () => {} };
}

const differences: Readonly<Record<string, (real: MemoryStore) => Partial<FullStateStore>>> = {
  "a conflict that is not reported": (real) => {
    const append = real.appendEvents.bind(real);
    return {
      appendEvents: async (...call) => (await append(...call)).map(({ conflict: _, ...result }) => result),
    };
  },
  "a page that starts one too early": (real) => {
    const fetch = real.fetchEvents.bind(real);
    const earlier = (seq = 0): number => Math.max(0, seq - 1);
    return {
      fetchEvents: (runId, options = {}) => fetch(runId, { ...options, afterSeq: earlier(options.afterSeq) }),
    };
  },
  "a follower that misses the last run": ({ feed }) => ({
    feed: {
      ...feed,
      readChanges: async (...call) => {
        const page = await feed.readChanges(...call);
        return { ...page, changes: page.changes.slice(0, -1) };
      },
    },
  }),
  "a lease that does not say from whom it was taken": ({ leases }) => ({
    leases: {
      ...leases,
      acquireLeases: async (params) => {
        const granted = await leases.acquireLeases(params);
        return { ...granted, leases: granted.leases.map((lease) => ({ ...lease, takenFrom: null })) };
      },
    },
  }),
  "a release that ignores the epoch": (real) => {
    const { leases } = real;
    const releaseLeases: typeof leases.releaseLeases = async ({ workerId, leases: given }) => {
      for (const { runId, leaseEpoch } of await real.fetchHeads(given.map((lease) => lease.runId)))
        if (leaseEpoch > 0) await leases.releaseLeases({ workerId, leases: [{ runId, epoch: leaseEpoch }] });
    };
    return { leases: { ...leases, releaseLeases } };
  },
  "an archive that ignores followers": (real) => {
    const { archive, feed } = real;
    const archiveRun: typeof archive.archiveRun = async (runId) => {
      for (const follower of ["projector", "outbox"]) await feed.removeFollower(follower);
      return archive.archiveRun(runId);
    };
    return { archive: { archiveRun } };
  },
};

const options = { sequences: 1000, maxCommands: 25 };

test("the reference does not differ from itself", () =>
  runSequences(
    differing(() => ({})),
    options,
  ));

test.each(Object.entries(differences))(
  "%s is found, and printed with its seed",
  async (_, change) => {
    await expect(runSequences(differing(change), options)).rejects.toThrow(/seed: -?\d+, path: /);
  },
  120_000,
);
