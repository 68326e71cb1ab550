/** Faults in the change feed, one per mutation. */
import type { ChangeFeed } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const feed = (change: (real: ChangeFeed) => Partial<ChangeFeed>): Mutation => ({
  store: (real) => ({ feed: overlay(real.feed!, change(real.feed!)) }),
});

export const feedMutations: Readonly<Record<string, () => Mutation>> = {
  "changes are lost": () =>
    feed((real) => ({
      readChanges: async (...call) => {
        const page = await real.readChanges(...call);
        return { ...page, changes: page.changes.slice(1) };
      },
    })),
  "every head is reported as a change": () => ({
    store: (real) => ({
      feed: overlay(real.feed!, {
        readChanges: async (cursor, options) => {
          const page = await real.feed!.readChanges(cursor, options);
          const heads = await real.listHeads();
          return { ...page, changes: heads.map(({ runId, headSeq }) => ({ runId, headSeq })) };
        },
      }),
    }),
  }),
  "reading moves the cursor": () =>
    feed((real) => ({
      readChanges: async (...call) => {
        const page = await real.readChanges(...call);
        const saved = await real.saveCursor(page.cursor);
        return { ...page, cursor: saved ?? page.cursor };
      },
    })),
  "cursors are not kept": () =>
    feed(() => ({ saveCursor: async (cursor) => ({ ...cursor, version: cursor.version + 1 }) })),
  "cursors have no version": () =>
    feed((real) => ({
      saveCursor: async (cursor) => {
        const { version } = await real.openFollower(cursor.follower);
        return real.saveCursor({ ...cursor, version });
      },
    })),
  "followers share a cursor": () =>
    feed((real) => ({
      openFollower: () => real.openFollower("everybody"),
      saveCursor: async (cursor) =>
        real.saveCursor({ ...cursor, follower: "everybody", version: (await real.openFollower("everybody")).version }),
    })),
  "a page is the whole feed": () => feed((real) => ({ readChanges: (cursor) => real.readChanges(cursor) })),
  "pruning ignores followers": () =>
    feed((real) => ({
      pruneChanges: async () => {
        for (const follower of ["slow", "fast", "projector"]) await real.removeFollower(follower);
        return real.pruneChanges();
      },
    })),
  "pruning does nothing": () => feed(() => ({ pruneChanges: async () => 0 })),
  "followers are not removed": () => feed(() => ({ removeFollower: async () => {} })),
  "a page was read long ago": () =>
    feed((real) => ({
      readChanges: async (...call) => ({ ...(await real.readChanges(...call)), now: new Date(0).toISOString() }),
    })),
  "runs are read from their beginning": () =>
    feed((real) => ({
      fetchRuns: (runs, options) =>
        real.fetchRuns(
          runs.map(({ runId }) => ({ runId, afterSeq: 0 })),
          options,
        ),
    })),
  "finding a follower creates it": () => feed((real) => ({ findFollower: (name) => real.openFollower(name) })),
  "no projection is behind": () => feed(() => ({ listBehind: async () => ({ runIds: [], next: null }) })),
  "projections never lag": () =>
    feed((real) => ({ measureLag: async (params) => ({ ...(await real.measureLag(params)), oldestAt: null }) })),
  "members never go": () => feed(() => ({ leave: async () => {} })),
  "members are alone": () => feed(() => ({ attend: async ({ member }) => [member] })),
};
