/**
 * Computes how much of each limit is used, as far as the caller can see: from its own runs, and from runs that wait for the
 * limit, which means that it is full.
 */
import type { Limit, QueuedRun, WaitReason } from "@runledger/client";
import type { Queue } from "./use-queue.js";

type Target = NonNullable<WaitReason["target"]>;

export interface LimitUse {
  readonly target: Target;
  readonly maxRunning: number;
  readonly taken: number;
  /** Some of the caller's runs that count against the limit. */
  readonly holders: readonly string[];
  /** The number of runs that wait for the limit. */
  readonly waiting: number;
  /** Runs of other tenants may use more. */
  readonly isAtLeast: boolean;
}

const MAX_HOLDERS = 5;

export function limitUses({ runs, limits, isPartial }: Queue, tenantId: string): readonly LimitUse[] {
  return limits.flatMap((limit) => {
    const { maxRunning } = limit;
    if (maxRunning === null) return [];
    return subjectsOf(limit, limits, { runs, tenantId }).map((target) =>
      useOf(target, maxRunning, { runs, tenantId, isPartial }),
    );
  });
}

interface Known {
  readonly runs: readonly QueuedRun[];
  readonly tenantId: string;
}

/** A limit on `*` applies to every subject without its own. Returns the subjects that have runs. */
function subjectsOf({ scope, subject }: Limit, limits: readonly Limit[], { runs, tenantId }: Known): readonly Target[] {
  if (subject !== "*") return [{ scope, subject }];
  const own = new Set(limits.filter((limit) => limit.scope === scope).map((limit) => limit.subject));
  const found = runs.flatMap((run) => subjectIn(run, scope, tenantId) ?? []);
  const subjects = [...new Set(found)].filter((one) => !own.has(one));
  return (subjects.length === 0 ? ["*"] : subjects).map((one) => ({ scope, subject: one }));
}

function useOf(
  target: Target,
  maxRunning: number,
  { runs, tenantId, isPartial }: Known & { readonly isPartial: boolean },
): LimitUse {
  const counted = runs.filter((run) => subjectIn(run, target.scope, tenantId) === target.subject);
  const taking = counted.filter((run) =>
    target.scope === "concurrencyKey" ? run.startedAt !== null : run.where === "running",
  );
  const reasons = counted.flatMap((run) => run.reasons.filter((reason) => isAbout(reason, target)));
  const isFull = reasons.length > 0;
  const holders = [
    ...new Set([...taking.map(({ runId }) => runId), ...reasons.flatMap((reason) => reason.holders ?? [])]),
  ];
  return {
    target,
    maxRunning,
    taken: isFull ? maxRunning : Math.min(maxRunning, taking.length),
    holders: holders.slice(0, MAX_HOLDERS),
    waiting: reasons.length,
    isAtLeast: !isFull && (isPartial || target.scope === "overall" || target.scope === "workflow"),
  };
}

function isAbout({ kind, what, target }: WaitReason, { scope, subject }: Target): boolean {
  return kind === "limit" && what === "running" && target?.scope === scope && target.subject === subject;
}

/** Returns the subject that a run counts for, or `null` if it has none in this scope. */
function subjectIn(
  { planId, projectId, concurrencyKey }: QueuedRun,
  scope: Target["scope"],
  tenantId: string,
): string | null {
  if (scope === "overall") return "";
  if (scope === "tenant") return tenantId;
  if (scope === "workflow") return planId;
  if (scope === "project") return `${tenantId}|${projectId}`;
  return concurrencyKey === null ? null : `${tenantId}|${concurrencyKey}`;
}

const SCOPES = {
  overall: "all runs",
  tenant: "tenant",
  project: "project",
  workflow: "workflow",
  concurrencyKey: "key",
} as const;

/** `tenant acme`, `project web`, `every tenant`, `all runs` */
export function targetText({ scope, subject }: Target): string {
  if (scope === "overall") return SCOPES.overall;
  if (subject === "*") return `every ${SCOPES[scope]}`;
  return `${SCOPES[scope]} ${subject.slice(subject.indexOf("|") + 1)}`;
}
