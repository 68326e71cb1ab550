/** Limits, the runs they count, and the turns of tenants. */
import { targetsOf, type Limit, type Limits, type LimitTarget } from "@runledger/contracts";
import {
  countStarts,
  limitFor,
  nextTurn,
  startsPerSecond,
  Capacity,
  type StartRate,
  type TenantTurn,
} from "@runledger/core/store";
import type { QueueRow, Tables } from "./tables.js";

export interface LimitTables {
  readonly limits: Map<string, Limit>;
  /** Starts of runs, the latest last. */
  readonly starts: { readonly row: QueueRow; readonly at: number }[];
  readonly startRates: Map<string, StartRate>;
  /** Turns of tenants with queued runs. */
  readonly turns: Map<string, TenantTurn>;
  served: number;
  /** Number of turns given so far. It orders equal turns. */
  given: number;
}

export function emptyLimits(): LimitTables {
  return { limits: new Map(), starts: [], startRates: new Map(), turns: new Map(), served: 0, given: 0 };
}

const nameOf = ({ scope, subject }: LimitTarget): string => `${scope}|${subject}`;

export function limits({ limits: { limits: all } }: Tables): Limits {
  return {
    setLimit: async (limit) => void all.set(nameOf(limit), { ...limit }),
    removeLimit: async (target) => all.delete(nameOf(target)),
    listLimits: async () => [...all.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

export function allLimits(tables: Tables): readonly Limit[] {
  return [...tables.limits.limits.values()];
}

export function capacityOf(tables: Tables): Capacity {
  return new Capacity(allLimits(tables), {
    running: (target) => holdersOf(tables, target).length,
    startedWithin: (target, ms) => startedWithin(tables, target, ms).length,
  });
}

/** A started run holds its concurrency key. All other limits count only running runs. */
export function holdersOf(tables: Tables, target: LimitTarget): QueueRow[] {
  const isKey = target.scope === "concurrencyKey";
  return runsOf(tables, target, ({ startedAt, slot }) => (isKey ? startedAt !== null : slot));
}

export function runsOf(tables: Tables, target: LimitTarget, counts: (row: QueueRow) => boolean): QueueRow[] {
  return [...tables.queue.values()].filter((row) => counts(row) && isIn(row, target));
}

function isIn(row: QueueRow, { scope, subject }: LimitTarget): boolean {
  return targetsOf(row).some((own) => own.scope === scope && own.subject === subject);
}

export function startedWithin(tables: Tables, target: LimitTarget, ms: number): readonly { readonly at: number }[] {
  const since = tables.now() - ms;
  return tables.limits.starts.filter(({ row, at }) => at > since && isIn(row, target));
}

export function drainOf(tables: Tables, target: LimitTarget): number | null {
  const rate = tables.limits.startRates.get(nameOf(target));
  return rate === undefined ? null : startsPerSecond(rate, tables.now());
}

/** Assigns a tenant its turn with the first run it queues. Its other runs share it. */
export function takeTurn({ limits: all }: Tables, tenantId: string): void {
  if (!all.turns.has(tenantId)) all.turns.set(tenantId, { turn: all.served + 1, since: ++all.given });
}

export function noteBegins(tables: Tables, begun: readonly QueueRow[]): void {
  const now = tables.now();
  for (const row of begun) {
    tables.limits.starts.push({ row, at: now });
    for (const target of targetsOf(row)) measure(tables, target);
  }
  forget(tables);
  const served = new Map<string, number>();
  for (const { tenantId } of begun) served.set(tenantId, (served.get(tenantId) ?? 0) + 1);
  serve(tables, served);
}

function measure(tables: Tables, target: LimitTarget): void {
  const { startRates } = tables.limits;
  if (target.scope !== "overall" && limitFor(allLimits(tables), target) === undefined) return;
  startRates.set(nameOf(target), countStarts(startRates.get(nameOf(target)), 1, tables.now()));
}

/** Deletes starts that no rate counts any more. */
function forget(tables: Tables): void {
  const longest = Math.max(0, ...allLimits(tables).map(({ rate }) => rate?.perMs ?? 0));
  const { starts } = tables.limits;
  const kept = starts.findIndex(({ at }) => at > tables.now() - longest);
  starts.splice(0, kept === -1 ? starts.length : kept);
}

function serve({ limits: all, queue }: Tables, served: ReadonlyMap<string, number>): void {
  const { served: before } = all;
  const waiting = new Set([...queue.values()].filter(({ startedAt }) => startedAt === null).map((row) => row.tenantId));
  for (const [tenantId, runs] of served) {
    const turn = nextTurn(all.turns.get(tenantId)!, before, runs);
    all.served = Math.max(all.served, turn - 1);
    if (waiting.has(tenantId)) all.turns.set(tenantId, { turn, since: ++all.given });
    else all.turns.delete(tenantId);
  }
}
