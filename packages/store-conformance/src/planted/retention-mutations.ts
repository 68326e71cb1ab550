/** Faults in retention, one per mutation. */
import type { DueRun, RetentionStore, StateStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const retention =
  (change: (real: RetentionStore, store: StateStore) => Partial<RetentionStore>): (() => Mutation) =>
  () => ({ store: (real) => ({ retention: overlay(real.retention!, change(real.retention!, real)) }) });

const due = (change: (runs: readonly DueRun[]) => readonly DueRun[]) =>
  retention((real) => ({ listDue: async (params) => change(await real.listDue(params)) }));

export const retentionMutations: Readonly<Record<string, () => Mutation>> = {
  "policies are lost": retention(() => ({ listPolicies: async () => [] })),
  "every policy is accepted": retention(() => ({ setPolicy: async () => {} })),
  "the newest runs are due first": due((runs) => runs.toReversed()),
  "runs that are set aside are due": retention((real) => ({ holdRun: async () => {}, listDue: real.listDue })),
  "nothing is deleted": retention(() => ({ deleteRun: async (runId) => ({ runId, deleted: true }) })),
  "a run that is not archived is deleted": retention((real, store) => ({
    deleteRun: async (runId) => (await store.archive!.archiveRun(runId), real.deleteRun(runId)),
  })),
  "children are due although their parent exists": retention((real, store) => ({
    deleteRun: async (runId) => {
      const outcome = await real.deleteRun(runId);
      if (!outcome.deleted && outcome.reason === "child") await store.snapshots.deleteProjection(runId);
      return outcome;
    },
  })),
  "a forked run is deleted": retention((real) => ({
    deleteRun: async (runId) => {
      const outcome = await real.deleteRun(runId);
      return !outcome.deleted && outcome.reason === "forked" ? { runId, deleted: true } : outcome;
    },
  })),
  "an undelivered run is deleted": retention((real) => ({
    deleteRun: async (runId) => {
      const outcome = await real.deleteRun(runId);
      return !outcome.deleted && outcome.reason === "undelivered" ? { runId, deleted: true } : outcome;
    },
  })),
  "nothing is purged": retention(() => ({ purge: async () => ({ startKeys: 0, deadLetters: 0, followers: 0 }) })),
};
