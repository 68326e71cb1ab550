/** Faults in the outbox, one per mutation. */
import type { ClaimedDelivery, OutboxStore, Subscription } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const outbox =
  (change: (real: OutboxStore) => Partial<OutboxStore>): (() => Mutation) =>
  () => ({ store: (real) => ({ outbox: overlay(real.outbox!, change(real.outbox!)) }) });

const claims = (change: (claimed: ClaimedDelivery) => ClaimedDelivery) =>
  outbox((real) => ({ claimDeliveries: async (params) => (await real.claimDeliveries(params)).map(change) }));

const found = (change: (subscription: Subscription) => Subscription) =>
  outbox((real) => ({
    getSubscription: async (name) => {
      const { now, subscription } = await real.getSubscription(name);
      return { now, subscription: subscription === null ? null : change(subscription) };
    },
  }));

export const outboxMutations: Readonly<Record<string, () => Mutation>> = {
  "the filter of a subscription is lost": found((real) => ({
    ...real,
    definition: { ...real.definition, filter: {} },
  })),
  "tenants share subscriptions": outbox((real) => ({
    removeSubscription: (name) => real.removeSubscription({ ...name, tenantId: "acme" }),
  })),
  "a changed definition keeps its version": outbox((real) => ({
    changeSubscription: async (name, definition) => {
      const { subscription } = await real.getSubscription(name);
      await real.changeSubscription(name, definition);
      return subscription && { ...subscription, definition };
    },
  })),
  "claimed deliveries are not held": outbox((real) => ({
    claimDeliveries: async (params) => {
      const claimed = await real.claimDeliveries({ ...params, holdMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      return claimed;
    },
  })),
  "a claim never ends": outbox((real) => ({
    claimDeliveries: (params) => real.claimDeliveries({ ...params, holdMs: 1e12 }),
  })),
  "one subscription gets all changes": outbox((real) => ({
    claimDeliveries: async (params) => {
      const claimed = await real.claimDeliveries(params);
      return claimed.filter(({ number }) => number === claimed[0]?.number);
    },
  })),
  "a claim takes everything": outbox((real) => ({
    claimDeliveries: (params) => real.claimDeliveries({ ...params, perSubscription: 1000 }),
  })),
  "a released claim forgets the failed attempts": outbox((real) => ({
    saveDeliveries: (outcomes) =>
      real.saveDeliveries(
        outcomes.map((each) =>
          each.isAccepted === false && each.isExcluded !== true && each.failure === undefined
            ? { ...each, failure: { message: "released", attempts: 0, retryInMs: 0 } }
            : each,
        ),
      ),
  })),
  "a paused subscription continues": outbox((real) => ({
    pauseSubscription: async (name, isPaused) => {
      const paused = await real.pauseSubscription(name, isPaused);
      await real.pauseSubscription(name, false);
      return paused;
    },
  })),
  "an excluded run comes back": outbox((real) => ({
    saveDeliveries: (outcomes) => real.saveDeliveries(outcomes.map(({ isExcluded: _, ...outcome }) => outcome)),
  })),
  "a refused event is attempted again at once": outbox((real) => ({
    saveDeliveries: (outcomes) =>
      real.saveDeliveries(
        outcomes.map(({ failure, ...rest }) => ({
          ...rest,
          ...(failure && { failure: { ...failure, retryInMs: 0 } }),
        })),
      ),
  })),
  "failed attempts are forgotten": claims((claimed) => ({ ...claimed, attempts: 0 })),
  "deliveries of others are not noticed": claims((claimed) => ({ ...claimed, othersDelivered: false })),
  "a dropped dead letter is redriven": outbox((real) => ({ dropDeadLetter: (name) => real.redriveDeadLetter(name) })),
  "runs that exist are not listed": outbox(() => ({ fillNext: async () => false })),
  "a subscription that starts now delivers everything": outbox((real) => ({
    createSubscription: (params) => real.createSubscription({ ...params, startsAt: null }),
  })),
  "a refill does nothing": outbox(() => ({ refill: async () => {} })),
  "a rewind keeps the deliveries": outbox((real) => ({
    rewindSubscription: async (name) => (await real.getSubscription(name)).subscription,
  })),
  "deliveries of removed subscriptions stay": outbox(() => ({ sweepDeliveries: async () => 0 })),
  "any name is a subscription's": outbox((real) => ({
    getSubscription: (name) => real.getSubscription({ ...name, subscriptionId: name.subscriptionId.replace("|", "") }),
  })),
};
