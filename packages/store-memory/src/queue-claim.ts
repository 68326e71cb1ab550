/** Claims runs within the limits, tenants taking turns. */
import type { HeldRun, PlanRef } from "@runledger/contracts";
import { inServingOrder, limitFor } from "@runledger/core/store";
import { allLimits, noteBegins, capacityOf } from "./limits.js";
import { headOf, isAlive, type QueueRow, type Tables } from "./tables.js";

interface ClaimParams {
  readonly workerId: string;
  readonly plans: readonly PlanRef[];
  readonly logFormat: number;
  readonly limit: number;
  readonly tenants?: readonly string[];
}

const ACTIONS = 20;

export function claimRuns(tables: Tables, params: ClaimParams): { now: string; runs: HeldRun[]; limited: boolean } {
  const now = new Date(tables.now()).toISOString();
  const hasKeys = [...tables.queue.values()].some(({ concurrencyKey }) => concurrencyKey !== null);
  const limited = hasKeys || allLimits(tables).length > 0;
  return { now, runs: isAlive(tables, params.workerId) ? claimAll(tables, params) : [], limited };
}

function claimAll(tables: Tables, { workerId, plans, logFormat, limit, tenants }: ClaimParams): HeldRun[] {
  const knowsPlan = (row: QueueRow): boolean =>
    (tenants === undefined || tenants.includes(row.tenantId)) &&
    plans.some(({ planId, planVersion }) => planId === row.planId && planVersion === row.planVersion);
  const rows = [...tables.queue.values()];
  const lost = rows.filter(({ owner }) => owner !== null && !isAlive(tables, owner));
  for (const row of lost) if (!knowsPlan(row)) free(tables, row);
  const known = rows.filter((row) => row.logFormat <= logFormat && knowsPlan(row));
  const takenOver = known.filter((row) => lost.includes(row)).slice(0, limit);
  const runs = takenOver.map((row) => claim(tables, row, workerId, row.slot));
  const { again, begun } = choose(tables, known, limit - takenOver.length);
  runs.push(...again.map((row) => claim(tables, row, workerId, true)));
  const isFree = (row: QueueRow): boolean => row.owner === null || (lost.includes(row) && row.owner !== workerId);
  const acted = known.filter((row) => isFree(row) && row.actsAt !== null && row.actsAt <= tables.now());
  const asked = acted.filter((row) => !begun.includes(row)).slice(0, ACTIONS);
  runs.push(...asked.map((row) => claim(tables, row, workerId, false)));
  for (const row of begun) row.startedAt = tables.now();
  runs.push(...begun.map((row) => claim(tables, row, workerId, true)));
  noteBegins(tables, begun);
  return runs;
}

/** Frees a run that this worker cannot run, so that another worker can claim it. */
function free(tables: Tables, row: QueueRow): void {
  const run = tables.runs.get(row.runId)!;
  run.leaseEpoch++;
  run.leaseOwner = null;
  row.owner = null;
  row.slot = false;
  if (row.startedAt !== null) row.availableAt = tables.now();
}

/** Chooses started runs that are due again, then queued runs. */
function choose(
  tables: Tables,
  rows: readonly QueueRow[],
  places: number,
): { readonly again: readonly QueueRow[]; readonly begun: readonly QueueRow[] } {
  if (places <= 0) return { again: [], begun: [] };
  const capacity = capacityOf(tables);
  const now = tables.now();
  const due = rows.filter(({ owner, availableAt }) => owner === null && availableAt <= now);
  const returning = due.filter(({ startedAt }) => startedAt !== null).sort((a, b) => a.availableAt - b.availableAt);
  const again = take(returning, places, (row) => capacity.admit(row, false));
  const queued = due.filter(({ startedAt, actsAt }) => startedAt === null && (actsAt ?? Infinity) > now);
  const begun = take(inOrder(tables, queued), places - again.length, (row) => capacity.admit(row, true));
  return { again, begun };
}

function take(rows: readonly QueueRow[], places: number, admit: (row: QueueRow) => boolean): readonly QueueRow[] {
  const taken: QueueRow[] = [];
  for (const row of rows) {
    if (taken.length >= places) break;
    if (admit(row)) taken.push(row);
  }
  return taken;
}

export function inOrder(tables: Tables, queued: readonly QueueRow[]): readonly QueueRow[] {
  const limits = allLimits(tables);
  const { turns, served } = tables.limits;
  const runs = queued.map((row) => {
    const { tenantId, projectId, planId, availableAt: dueAt } = row;
    const priorityOf = (scope: "tenant" | "project" | "workflow", subject: string): number =>
      limitFor(limits, { scope, subject })?.priority ?? 0;
    const added = priorityOf("project", `${tenantId}|${projectId}`) + priorityOf("workflow", planId);
    const tenantPriority = priorityOf("tenant", tenantId);
    return { row, tenantId, dueAt, priority: row.priority + added, tenantPriority };
  });
  return inServingOrder(runs, { of: (tenantId) => turns.get(tenantId)!, served }).map(({ row }) => row);
}

function claim(tables: Tables, row: QueueRow, workerId: string, slot: boolean): HeldRun {
  const run = tables.runs.get(row.runId)!;
  const takenFrom = row.owner;
  row.owner = workerId;
  row.slot = slot;
  run.leaseEpoch++;
  run.leaseOwner = workerId;
  const isNew = run.events.length === 1;
  return { ...held(tables, row, takenFrom), ...(isNew ? { firstEvent: run.events[0]! } : {}) };
}

function held(tables: Tables, row: QueueRow, takenFrom: string | null): HeldRun {
  const { runId, planId, planVersion, wakes, slot } = row;
  const run = tables.runs.get(runId)!;
  const epoch = run.leaseEpoch;
  return { runId, planId, planVersion, epoch, takenFrom, headSeq: headOf(run), wakes, slot };
}

export function heldRuns(tables: Tables, workerId: string): { now: string; runs: HeldRun[] } {
  const owned = [...tables.queue.values()].filter(({ owner }) => owner === workerId);
  return { now: new Date(tables.now()).toISOString(), runs: owned.map((row) => held(tables, row, null)) };
}
