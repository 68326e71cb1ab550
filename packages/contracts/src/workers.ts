import type { PlanRef } from "./run-queue.js";

/** A worker as its heartbeats describe it: one row each (O1). */
export interface KnownWorker {
  readonly workerId: string;
  /** Dead from here on, unless it says something before. */
  readonly expiresAt: string;
  /** When it last did; null = not known. */
  readonly seenAt: string | null;
  /** What it can run (D7); nothing until it has said so. */
  readonly plans: readonly PlanRef[];
  /** The newest format of logs that it reads (F5). */
  readonly logFormat: number;
}

/** What a run needs of a worker. */
export interface RunNeeds extends PlanRef {
  readonly logFormat: number;
}

/** What no live worker has: the plan's version, or, among those who have it, the format of the run's log. */
export type WorkerGap = "plan" | "logFormat";

/** Null = there is a worker for it. */
export function workerGap(
  { now, workers }: { readonly now: string; readonly workers: readonly KnownWorker[] },
  { planId, planVersion, logFormat }: RunNeeds,
): WorkerGap | null {
  const able = workers.filter(
    ({ expiresAt, plans }) =>
      expiresAt > now && plans.some((plan) => plan.planId === planId && plan.planVersion === planVersion),
  );
  if (able.length === 0) return "plan";
  return able.some((worker) => worker.logFormat >= logFormat) ? null : "logFormat";
}

/** How it is told, everywhere alike. */
export function workerGapText(missing: WorkerGap, { planId, planVersion, logFormat }: RunNeeds): string {
  return missing === "plan" ? `no worker for ${planId} ${planVersion}` : `no worker for log format ${logFormat}`;
}
