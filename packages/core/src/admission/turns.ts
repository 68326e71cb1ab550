/**
 * Whose turn it is.
 *  O-22  Tenants take turns, whatever each has queued: who is served moves behind everybody who is waiting. Who comes
 *        new gets the turn after the one that was served last; who could not be served for long is ahead by one run, not
 *        by all it missed.
 * Within a tenant the highest priority goes first, then what has been due for longest, then what was given first.
 */
export interface QueuedRun {
  readonly tenantId: string;
  /** The run's own and the limits'. */
  readonly priority: number;
  /** Of the tenant, among tenants. */
  readonly tenantPriority: number;
  readonly dueAt: number;
}

export interface TenantTurn {
  readonly turn: number;
  /** Orders tenants with the same turn: who has it longest goes first. */
  readonly since: number;
}

export interface Turns {
  readonly of: (tenantId: string) => TenantTurn;
  /** The turn that was served last. */
  readonly served: number;
}

export function inTurn<R extends QueuedRun>(runs: readonly R[], turns: Turns): readonly R[] {
  const next = new Map<string, number>();
  const placed = [...runs].sort(byPriority).map((run) => {
    const k = next.get(run.tenantId) ?? 0;
    next.set(run.tenantId, k + 1);
    const { turn, since } = turns.of(run.tenantId);
    return k === 0 ? { run, turn, since } : { run, turn: Math.max(turn, turns.served) + k, since: Infinity };
  });
  return placed.sort(byTurn).map(({ run }) => run);
}

interface Placed {
  readonly run: QueuedRun;
  readonly turn: number;
  /** Infinity = it gets its turn only by what is served before it. */
  readonly since: number;
}

function byTurn(a: Placed, b: Placed): number {
  const bySince = a.since === b.since ? 0 : a.since - b.since;
  return b.run.tenantPriority - a.run.tenantPriority || a.turn - b.turn || bySince;
}

function byPriority(a: QueuedRun, b: QueuedRun): number {
  return b.priority - a.priority || a.dueAt - b.dueAt;
}

/** The turn of a tenant after `runs` of its runs were served. */
export function nextTurn({ turn }: TenantTurn, served: number, runs: number): number {
  return Math.max(turn, served) + runs;
}
