/** What a limit counts: all runs, or those of one tenant, project, workflow or concurrency key. */
export const limitScopes = ["overall", "tenant", "project", "workflow", "concurrencyKey"] as const;
export type LimitScope = (typeof limitScopes)[number];

/** Each one that has no limit of its own. */
export const EVERY = "*";

/** What a limit is about. */
export interface LimitTarget {
  readonly scope: LimitScope;
  /**
   * Overall: empty. Tenant and workflow: the id. Project and concurrency key: the tenant, `|`, the id. `*` stands for
   * every one that has no limit of its own.
   */
  readonly subject: string;
}

/** A limit is data: it holds from the moment it is set, for runs that are queued already too. */
export interface Limit extends LimitTarget {
  /** Runs that run at a time; those that wait are not counted, but for a concurrency key. Null = any number. */
  readonly maxRunning: number | null;
  /** In any stretch of `perMs` at most this many runs begin. Null = any number. */
  readonly rate: { readonly starts: number; readonly perMs: number } | null;
  /** Runs that may wait for their begin; one more is refused. Null = any number. */
  readonly maxQueued: number | null;
  /**
   * Of a tenant: it is served before tenants with less. Of a project or workflow: added to the priority of its runs.
   * Null = 0.
   */
  readonly priority: number | null;
}

/** Limits of what runs and what waits. */
export interface Limits {
  /** Sets all of a limit, in place of what was there. Once it resolves nothing begins by the old one. */
  setLimit(limit: Limit): Promise<void>;
  /** False = there was none. */
  removeLimit(target: LimitTarget): Promise<boolean>;
  /** By scope, then by subject. */
  listLimits(): Promise<readonly Limit[]>;
}

/** Where a run is counted. */
export interface Counted {
  readonly tenantId: string;
  readonly projectId: string;
  readonly planId: string;
  /** Null = none. */
  readonly concurrencyKey: string | null;
}

/** The subject of a run in each scope in which it has one, the widest first. */
export function targetsOf({ tenantId, projectId, planId, concurrencyKey }: Counted): readonly LimitTarget[] {
  const targets: LimitTarget[] = [
    { scope: "overall", subject: "" },
    { scope: "tenant", subject: tenantId },
    { scope: "project", subject: `${tenantId}|${projectId}` },
    { scope: "workflow", subject: planId },
  ];
  if (concurrencyKey !== null) targets.push({ scope: "concurrencyKey", subject: `${tenantId}|${concurrencyKey}` });
  return targets;
}
