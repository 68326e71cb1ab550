import { EVERY } from "./limits.js";

/**
 * The data that a policy covers. `startKeys`: the requests and schedule ticks that started runs, after their runs were
 * deleted. `feed`: the position of a follower that no process uses anymore. `artifacts`: the content of artifacts of archived
 * runs, by kind (A8).
 */
export const retentionKinds = ["runs", "artifacts", "startKeys", "deadLetters", "feed", "audit"] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The subject of a retention policy. */
export interface RetentionTarget {
  readonly kind: RetentionKind;
  /** `*` applies to every tenant without its own policy. `feed` and `audit` have no other. */
  readonly tenantId: string;
  /**
   * `*` applies to every workflow without its own policy. Only `runs` have others. For `artifacts`, the kind of artifact: `*`
   * applies to every kind without its own policy.
   */
  readonly workflowId: string;
}

/** A policy is data: it takes effect with the next pass. */
export interface RetentionPolicy extends RetentionTarget {
  /** Time after which a finished run moves to the archive. `null` if it stays in the log. Only for `runs`. */
  readonly archiveAfterMs: number | null;
  /** Age at which the data is deleted. A finished run counts from its completion, an artifact from its creation. `null` if it is kept. */
  readonly deleteAfterMs: number | null;
}

/** A workflow that has finished runs. */
export interface RetentionGroup {
  readonly tenantId: string;
  /** Empty for runs that another engine recorded without a workflow. */
  readonly workflowId: string;
}

export interface DueRun {
  readonly runId: string;
  /** ISO 8601. */
  readonly completedAt: string;
}

/**
 * The reason why a run was not deleted. `child`: its parent exists. `forked`: a fork of it exists, which may refer to its
 * artifacts. `undelivered`: a subscription has not received its last events.
 */
export type NotDeleted = "absent" | "not-archived" | "child" | "forked" | "undelivered";

export type DeleteOutcome =
  | { readonly runId: string; readonly deleted: true }
  | { readonly runId: string; readonly deleted: false; readonly reason: NotDeleted };

/** The number of entries that `purge` removed. */
export interface Purged {
  readonly startKeys: number;
  readonly deadLetters: number;
  readonly followers: number;
}

/** Retention policies, and the bounded steps that execute them. Any number of processes can take these steps. */
export interface RetentionStore {
  /** Replaces the policy as a whole. */
  setPolicy(policy: RetentionPolicy): Promise<void>;
  /** Returns `false` if there was no such policy. */
  removePolicy(target: RetentionTarget): Promise<boolean>;
  /** Lists policies by kind, tenant and workflow. */
  listPolicies(): Promise<readonly RetentionPolicy[]>;

  /** Lists the workflows that have finished runs, by tenant and workflow. `limit` defaults to 1000. */
  listGroups(params?: {
    readonly tenantId?: string;
    readonly after?: RetentionGroup;
    readonly limit?: number;
  }): Promise<readonly RetentionGroup[]>;

  /**
   * Lists finished runs of a group by completion: those in the log, or those in the archive. Runs that `holdRun` or
   * `deleteRun` set aside are left out. `limit` defaults to 100.
   */
  listDue(
    params: RetentionGroup & {
      readonly archived: boolean;
      readonly olderThanMs: number;
      readonly after?: DueRun;
      readonly limit?: number;
    },
  ): Promise<readonly DueRun[]>;

  /** Sets a run with a damaged log aside, until its projection is rebuilt. */
  holdRun(runId: string): Promise<void>;

  /**
   * Deletes an archived run (A5). From then on the run does not exist for readers. `sweepDeleted` removes its events and
   * artifacts. A child and a forked run are set aside until the runs that need them are deleted.
   */
  deleteRun(runId: string): Promise<DeleteOutcome>;

  /** Removes a bounded part of the events and artifacts of deleted runs. Returns `false` if nothing is left. */
  sweepDeleted(): Promise<boolean>;

  /** Applies the policies on start keys, dead letters and the feed to at most `limit` entries each. Default 1000. */
  purge(params?: { readonly limit?: number }): Promise<Purged>;
}

/** Returns the most specific policy: the tenant's for the workflow, the tenant's, the workflow's, or the one for all. */
export function policyFor(
  policies: readonly RetentionPolicy[],
  kind: RetentionKind,
  { tenantId, workflowId }: RetentionGroup = { tenantId: EVERY, workflowId: EVERY },
): RetentionPolicy | undefined {
  const places = [
    [tenantId, workflowId],
    [tenantId, EVERY],
    [EVERY, workflowId],
    [EVERY, EVERY],
  ];
  for (const [tenant, workflow] of places) {
    const found = policies.find((one) => one.kind === kind && one.tenantId === tenant && one.workflowId === workflow);
    if (found !== undefined) return found;
  }
  return undefined;
}
