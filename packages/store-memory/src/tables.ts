import type {
  CanonicalEngineEvent,
  Checkpoint,
  Counted,
  Plan,
  PlanNotes,
  PlanRef,
  Projection,
  RunHeader,
  StepRow,
  StoredAuditEntry,
} from "@runledger/contracts";
import type { AccessTables } from "./access.js";
import type { ArtifactTable } from "./artifacts.js";
import { emptyLimits, type LimitTables } from "./limits.js";
import { emptySchedules, type ScheduleTables } from "./schedules.js";

/** What the other stores keep in tables. Every operation below is synchronous, hence a transaction of its own. */
export interface Tables {
  readonly runs: Map<string, RunTable>;
  readonly checkpoints: Map<string, Checkpoint>;
  readonly projections: Map<string, StoredProjection>;
  /** Ascending by seq. */
  readonly keyframes: Map<string, readonly Projection[]>;
  readonly queue: Map<string, QueueRow>;
  readonly limits: LimitTables;
  /** By address. */
  readonly artifacts: Map<string, ArtifactTable>;
  /** By id and version. */
  readonly plans: Map<string, PlanRow>;
  readonly schedules: ScheduleTables;
  readonly access: AccessTables;
  readonly audit: StoredAuditEntry[];
  /** Start key to the run it started. */
  readonly starts: Map<string, { readonly runId: string; readonly inputHash: string }>;
  readonly workers: Map<string, WorkerRow>;
  readonly feed: { nextId: number; readonly changes: Map<number, FeedRow> };
  /** Group to member to the time until which it lives. */
  readonly members: Map<string, Map<string, number>>;
  readonly followers: Map<string, { readonly version: number; readonly lastId: number }>;
  /** The last number that was drawn of each run, where numbers are drawn before anything is stored (P10). */
  readonly drawn: Map<string, number>;
  readonly now: () => number;
}

interface StoredProjection {
  readonly header: RunHeader;
  readonly steps: Map<string, StepRow>;
  /** How often it was rebuilt. */
  readonly generation: number;
}

export interface PlanRow {
  readonly plan: Plan;
  readonly publishedAt: number;
  readonly notes: PlanNotes;
}

export interface QueueRow extends PlanRef, Counted {
  readonly runId: string;
  readonly logFormat: number;
  readonly priority: number;
  readonly queuedAt: number;
  /** Infinity = until somebody wakes it. Nobody looks at it while the run is owned. */
  availableAt: number;
  wakes: number;
  owner: string | null;
  /** When it first got a slot; from then on it has its concurrency key. Null = it is queued. */
  startedAt: number | null;
  /** It is owned, and counted as running. */
  slot: boolean;
  /** An operator's action waits for an answer, from then on; null = none does. */
  actsAt: number | null;
}

interface WorkerRow {
  readonly expiresAt: number;
  readonly seenAt: number;
  readonly plans: readonly PlanRef[];
  readonly logFormat: number;
}

interface FeedRow {
  readonly runId: string;
  readonly headSeq: number;
}

/** A run: its head, its log and its keys. Archiving sets a flag; in memory there is no cheaper place to move to. */
export interface RunTable {
  readonly runId: string;
  readonly tenantId: string;
  /** Ascending. */
  readonly events: CanonicalEngineEvent[];
  readonly seqByKey: Map<string, number>;
  persistedAt: number;
  leaseEpoch: number;
  leaseOwner: string | null;
  archived: boolean;
  /** Numbers up to here that are missing never come (P10). */
  settledSeq: number;
}

export function headOf(run: RunTable): number {
  return run.events.at(-1)?.runSeq ?? 0;
}

/** Where the first event above a seq stands. */
export function placeAfter({ events }: RunTable, seq: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.runSeq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function emptyTables(now: () => number): Tables {
  return {
    runs: new Map(),
    checkpoints: new Map(),
    projections: new Map(),
    keyframes: new Map(),
    queue: new Map(),
    limits: emptyLimits(),
    artifacts: new Map(),
    plans: new Map(),
    schedules: emptySchedules(),
    access: { keys: new Map(), sessions: new Map() },
    audit: [],
    starts: new Map(),
    workers: new Map(),
    feed: { nextId: 1, changes: new Map() },
    members: new Map(),
    followers: new Map(),
    drawn: new Map(),
    now,
  };
}

/** Undefined tenant = sees all; otherwise another tenant's run is absent. */
export function visibleRun(tables: Tables, runId: string, tenantId: string | undefined): RunTable | undefined {
  const run = tables.runs.get(runId);
  return run === undefined || (tenantId !== undefined && run.tenantId !== tenantId) ? undefined : run;
}

export function isAlive(tables: Tables, workerId: string | null): boolean {
  return workerId !== null && (tables.workers.get(workerId)?.expiresAt ?? 0) > tables.now();
}
