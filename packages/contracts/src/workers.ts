import type { PlanRef } from "./run-queue.js";

/** A worker as described by its heartbeats: one row each (O1). */
export interface KnownWorker {
  readonly workerId: string;
  /** The worker counts as lost after this time unless it sends another heartbeat. */
  readonly expiresAt: string;
  /** The time of its last heartbeat. `null` if unknown. */
  readonly seenAt: string | null;
  /** The plans it can run (D7). Empty until it has reported them. */
  readonly plans: readonly PlanRef[];
  /** The newest log format that it reads (F5). */
  readonly logFormat: number;
  /** Tenants whose runs it claims. Absent if it claims the runs of all tenants. */
  readonly tenants?: readonly string[];
}

/** The requirements of a run on its worker. */
export interface RunNeeds extends PlanRef {
  readonly logFormat: number;
  /** The tenant of the run. Absent if only workers for all tenants count. */
  readonly tenantId?: string;
}

/**
 * The requirement that no live worker meets: the plan's version or, among workers that have it, the format of the log.
 */
export type WorkerGap = "plan" | "logFormat";

/** Returns `null` if a live worker can run it. */
export function workerGap(
  { now, workers }: { readonly now: string; readonly workers: readonly KnownWorker[] },
  { planId, planVersion, logFormat, tenantId }: RunNeeds,
): WorkerGap | null {
  const able = workers.filter(
    ({ expiresAt, plans, tenants }) =>
      expiresAt > now &&
      (tenants === undefined || (tenantId !== undefined && tenants.includes(tenantId))) &&
      plans.some((plan) => plan.planId === planId && plan.planVersion === planVersion),
  );
  if (able.length === 0) return "plan";
  return able.some((worker) => worker.logFormat >= logFormat) ? null : "logFormat";
}

/** Describes the gap. All packages use this text. */
export function workerGapText(missing: WorkerGap, { planId, planVersion, logFormat }: RunNeeds): string {
  return missing === "plan" ? `no worker for ${planId} ${planVersion}` : `no worker for log format ${logFormat}`;
}
