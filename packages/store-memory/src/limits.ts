/** Limits, what they count, and whose turn it is. */
import { targetsOf, type Limit, type Limits, type LimitTarget } from "@runledger/contracts";
import { advance, limitFor, nextTurn, perSecond, Rooms, type Meter, type TenantTurn } from "@runledger/core/store";
import type { QueueRow, Tables } from "./tables.js";

export interface LimitTables {
  readonly limits: Map<string, Limit>;
  /** Begins of runs, the latest last. */
  readonly begins: { readonly row: QueueRow; readonly at: number }[];
  readonly meters: Map<string, Meter>;
  /** Of tenants with queued runs. */
  readonly turns: Map<string, TenantTurn>;
  served: number;
  /** Turns that were given out so far: orders those that are equal. */
  given: number;
}

export function emptyLimits(): LimitTables {
  return { limits: new Map(), begins: [], meters: new Map(), turns: new Map(), served: 0, given: 0 };
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

export function roomsOf(tables: Tables): Rooms {
  return new Rooms(allLimits(tables), {
    running: (target) => holdersOf(tables, target).length,
    begunWithin: (target, ms) => begunWithin(tables, target, ms).length,
  });
}

/** Who has begun has its concurrency key; of everything else only who runs has a place. */
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

export function begunWithin(tables: Tables, target: LimitTarget, ms: number): readonly { readonly at: number }[] {
  const since = tables.now() - ms;
  return tables.limits.begins.filter(({ row, at }) => at > since && isIn(row, target));
}

export function drainOf(tables: Tables, target: LimitTarget): number | null {
  const meter = tables.limits.meters.get(nameOf(target));
  return meter === undefined ? null : perSecond(meter, tables.now());
}

/** Of the first run that a tenant queues; the others share it. */
export function takeTurn({ limits: all }: Tables, tenantId: string): void {
  if (!all.turns.has(tenantId)) all.turns.set(tenantId, { turn: all.served + 1, since: ++all.given });
}

export function noteBegins(tables: Tables, begun: readonly QueueRow[]): void {
  const now = tables.now();
  for (const row of begun) {
    tables.limits.begins.push({ row, at: now });
    for (const target of targetsOf(row)) measure(tables, target);
  }
  forget(tables);
  const served = new Map<string, number>();
  for (const { tenantId } of begun) served.set(tenantId, (served.get(tenantId) ?? 0) + 1);
  serve(tables, served);
}

function measure(tables: Tables, target: LimitTarget): void {
  const { meters } = tables.limits;
  if (target.scope !== "overall" && limitFor(allLimits(tables), target) === undefined) return;
  meters.set(nameOf(target), advance(meters.get(nameOf(target)), 1, tables.now()));
}

/** What no rate counts any more. */
function forget(tables: Tables): void {
  const longest = Math.max(0, ...allLimits(tables).map(({ rate }) => rate?.perMs ?? 0));
  const { begins } = tables.limits;
  const kept = begins.findIndex(({ at }) => at > tables.now() - longest);
  begins.splice(0, kept === -1 ? begins.length : kept);
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
