/** Faults in the expiry of artifacts, one per mutation. */
import type { ArtifactExpiry, NotExpired, StateStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const expiry =
  (change: (real: ArtifactExpiry, store: StateStore) => Partial<ArtifactExpiry>): (() => Mutation) =>
  () => ({ store: (real) => ({ expiry: overlay(real.expiry!, change(real.expiry!, real)) }) });

const ignoring = (reason: NotExpired) =>
  expiry((real) => ({
    expireArtifacts: async (params) => {
      const outcome = await real.expireArtifacts(params);
      const isIgnored = "reason" in outcome && outcome.reason === reason;
      return isIgnored ? { runId: params.runId, expired: params.artifacts.length } : outcome;
    },
  }));

export const expiryMutations: Readonly<Record<string, () => Mutation>> = {
  "nothing expires": expiry(() => ({
    expireArtifacts: async ({ runId, artifacts }) => ({ runId, expired: artifacts.length }),
  })),
  "artifacts of a run in the log expire": ignoring("not-archived"),
  "artifacts of a child expire before its parent is archived": ignoring("child"),
  "artifacts of a forked run expire": ignoring("forked"),
  "descriptions of expired artifacts are lost": expiry(() => ({ listExpired: async () => [] })),
  "a run is checked only once": expiry((real) => ({
    listToExpire: async (params) => real.listToExpire({ ...params, rules: "b" }),
  })),
  "runs of every tenant are due": expiry((real) => ({
    listToExpire: async (params) => real.listToExpire({ ...params, tenantId: "default" }),
  })),
  "content in a bucket is never removed": expiry(() => ({ listUnswept: async () => [] })),
  "removed content stays listed": expiry(() => ({ markSwept: async () => {} })),
};
