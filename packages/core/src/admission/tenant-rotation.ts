/**
 * The order in which tenants are served. Tenants take turns, regardless of how many runs each has queued: a served tenant
 * moves behind all waiting ones. A new tenant gets the turn after the one served last. A tenant that could not be served
 * for long is ahead by one run, not by all it missed. Within a tenant, the highest priority is first, then the earliest
 * due time, then the given order.
 */
export interface QueuedRun {
  readonly tenantId: string;
  /** Sum of the run's own priority and that of its limits. */
  readonly priority: number;
  /** Priority of the tenant among tenants. */
  readonly tenantPriority: number;
  readonly dueAt: number;
}

export interface TenantTurn {
  readonly turn: number;
  /** Orders tenants with equal turns: the tenant that got the turn first is first. */
  readonly since: number;
}

export interface Rotation {
  readonly of: (tenantId: string) => TenantTurn;
  /** The turn that was served last. */
  readonly served: number;
}

export function inServingOrder<R extends QueuedRun>(runs: readonly R[], turns: Rotation): readonly R[] {
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
  /** `Infinity` for all but the first run of a tenant: their turn depends on the runs before them. */
  readonly since: number;
}

function byTurn(a: Placed, b: Placed): number {
  const bySince = a.since === b.since ? 0 : a.since - b.since;
  return b.run.tenantPriority - a.run.tenantPriority || a.turn - b.turn || bySince;
}

function byPriority(a: QueuedRun, b: QueuedRun): number {
  return b.priority - a.priority || a.dueAt - b.dueAt;
}

/** Returns the turn of a tenant after `runs` of its runs were served. */
export function nextTurn({ turn }: TenantTurn, served: number, runs: number): number {
  return Math.max(turn, served) + runs;
}
