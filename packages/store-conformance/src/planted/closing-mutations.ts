/** Faults in the arguments of ports and in closing a store, one per mutation. */
import type { StateStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

export const closingMutations: Readonly<Record<string, () => Mutation>> = {
  "ports check nothing": () => ({
    store: (real) => ({
      leases: overlay(real.leases!, {
        heartbeat: (params) => real.leases!.heartbeat(params).catch(() => ({ now: "", expiresAt: "" })),
      }),
      feed: overlay(real.feed!, {
        openFollower: async (follower) =>
          real.feed!.openFollower(follower).catch(() => ({ follower, version: 1, position: null })),
      }),
      snapshots: overlay(real.snapshots, { listSteps: (params) => real.snapshots.listSteps(params).catch(() => []) }),
    }),
  }),
  "nothing survives": () => ({ store: (real) => ({ capabilities: { ...real.capabilities, durable: true } }) }),
  "closing does not wait": () => ({
    store: (real) => ({ close: () => real.close() }),
    append: async (next, events, options) => {
      await new Promise((resolve) => setImmediate(resolve));
      return next(events, options);
    },
  }),
  "a closed store keeps working": () => ({
    store: () => ({ close: async () => {}, [Symbol.asyncDispose]: async () => {} }),
  }),
  "closing twice is an error": () => {
    const closed = new WeakSet<object>();
    const close = async (real: StateStore): Promise<void> => {
      if (closed.has(real)) throw new Error("it is closed");
      closed.add(real);
      await real.close();
    };
    return { store: (real) => ({ close: () => close(real), [Symbol.asyncDispose]: () => close(real) }) };
  },
};
