import {
  AUDIT_START,
  type AuditLink,
  type CanonicalEngineEvent,
  type Checkpoint,
  type Counted,
  type Plan,
  type PlanNotes,
  type PlanRef,
  type Projection,
  type RunHeader,
  type StepRow,
  type StoredAuditEntry,
  type Trigger,
} from "@runledger/contracts";
import type { AccessTables } from "./access.js";
import type { AlertRow } from "./alerts.js";
import type { ArtifactTable } from "./artifacts.js";
import type { DatasetTables } from "./datasets.js";
import { emptyLimits, type LimitTables } from "./limits.js";
import { emptyOutbox, type OutboxTables } from "./outbox-tables.js";
import { emptyRetention, type RetentionTables } from "./retention-tables.js";
import { emptySchedules, type ScheduleTables } from "./schedules.js";

/** The data that other stores keep in tables. Every operation on it is synchronous, and therefore a transaction. */
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
  readonly outbox: OutboxTables;
  /** By tenant and id. */
  readonly triggers: Map<string, Trigger>;
  /** By id, in the order of recording. */
  readonly alerts: Map<string, AlertRow>;
  readonly datasets: DatasetTables;
  readonly retention: RetentionTables;
  readonly access: AccessTables;
  readonly audit: { readonly entries: StoredAuditEntry[]; base: AuditLink; head: AuditLink };
  /** Maps a start key to the run it started. */
  readonly starts: Map<string, { readonly runId: string; readonly inputHash: string }>;
  readonly workers: Map<string, WorkerRow>;
  readonly feed: { nextId: number; readonly changes: Map<number, FeedRow> };
  /** Maps a group and a member to the time until which it is alive. */
  readonly members: Map<string, Map<string, number>>;
  readonly followers: Map<string, { readonly version: number; readonly lastId: number }>;
  /** The last number drawn for each run, if numbers are drawn before events are stored (P10). */
  readonly drawn: Map<string, number>;
  readonly now: () => number;
}

interface StoredProjection {
  readonly header: RunHeader;
  readonly steps: Map<string, StepRow>;
  /** Number of rebuilds. */
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
  /** `Infinity` if the run waits until it is woken. Meaningless while the run is owned. */
  availableAt: number;
  wakes: number;
  owner: string | null;
  /** The time when it first got a slot. From then on it holds its concurrency key. `null` if it is queued. */
  startedAt: number | null;
  /** `true` if it is owned and counts as running. */
  slot: boolean;
  /** The time since which an operator's action waits for an answer. `null` if none does. */
  actsAt: number | null;
}

interface WorkerRow {
  readonly expiresAt: number;
  readonly seenAt: number;
  readonly plans: readonly PlanRef[];
  readonly logFormat: number;
  readonly tenants?: readonly string[];
}

interface FeedRow {
  readonly runId: string;
  readonly headSeq: number;
}

/** A run: its head, its log and its keys. Archiving sets a flag, because memory has no cheaper place. */
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
  /** Missing numbers up to this one stay missing (P10). */
  settledSeq: number;
}

export function headOf(run: RunTable): number {
  return run.events.at(-1)?.runSeq ?? 0;
}

/** Returns the index of the first event above a seq. */
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
    outbox: emptyOutbox(),
    triggers: new Map(),
    alerts: new Map(),
    datasets: { uses: new Map(), writes: new Map() },
    retention: emptyRetention(),
    access: { keys: new Map(), sessions: new Map() },
    audit: { entries: [], base: AUDIT_START, head: AUDIT_START },
    starts: new Map(),
    workers: new Map(),
    feed: { nextId: 1, changes: new Map() },
    members: new Map(),
    followers: new Map(),
    drawn: new Map(),
    now,
  };
}

/** An undefined tenant sees all runs. For any other, runs of other tenants do not exist. */
export function visibleRun(tables: Tables, runId: string, tenantId: string | undefined): RunTable | undefined {
  const run = tables.runs.get(runId);
  return run === undefined || (tenantId !== undefined && run.tenantId !== tenantId) ? undefined : run;
}

export function isAlive(tables: Tables, workerId: string | null): boolean {
  return workerId !== null && (tables.workers.get(workerId)?.expiresAt ?? 0) > tables.now();
}
