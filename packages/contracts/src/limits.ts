/** The runs that a limit counts: all, or those of one tenant, project, workflow or concurrency key. */
export const limitScopes = ["overall", "tenant", "project", "workflow", "concurrencyKey"] as const;
export type LimitScope = (typeof limitScopes)[number];

/** A limit with this subject applies to every subject without its own. */
export const EVERY = "*";

/** The subject of a limit. */
export interface LimitTarget {
  readonly scope: LimitScope;
  /**
   * Empty for `overall`, the id for a tenant or workflow, and the tenant, `|` and the id for a project or concurrency
   * key. A limit on `*` applies to every subject without its own.
   */
  readonly subject: string;
}

/** A limit is data: it takes effect as soon as it is set, also for runs that are already queued. */
export interface Limit extends LimitTarget {
  /**
   * Maximum number of runs that run at the same time. Waiting runs do not count, except for a concurrency key. `null`
   * if unlimited.
   */
  readonly maxRunning: number | null;
  /** Maximum number of runs that start within any interval of `perMs`. `null` if unlimited. */
  readonly rate: { readonly starts: number; readonly perMs: number } | null;
  /**
   * Maximum number of queued runs; further starts are refused. Every run is queued before it starts, so 0 refuses every
   * start. `null` if unlimited.
   */
  readonly maxQueued: number | null;
  /**
   * For a tenant: tenants with a higher priority are served first. For a project or workflow: added to the priority of
   * its runs. `null` counts as 0.
   */
  readonly priority: number | null;
}

/** Limits on running and queued runs. */
export interface Limits {
  /** Replaces the limit as a whole. After the call resolves, no run starts under the old limit. */
  setLimit(limit: Limit): Promise<void>;
  /** Returns `false` if there was no such limit. */
  removeLimit(target: LimitTarget): Promise<boolean>;
  /** Lists limits by scope, then by subject. */
  listLimits(): Promise<readonly Limit[]>;
}

/** The properties of a run that limits count by. */
export interface Counted {
  readonly tenantId: string;
  readonly projectId: string;
  readonly planId: string;
  /** `null` if the run has no concurrency key. */
  readonly concurrencyKey: string | null;
}

/** Returns the limit targets that a run counts toward, the widest scope first. */
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
