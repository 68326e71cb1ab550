import type { CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";

/** The bugs that a planted store can have. */
export type Bug =
  | "lost-event"
  | "gap"
  | "duplicate-key"
  | "renumbered-duplicate"
  | "reordered-batch"
  | "torn-batch"
  | "torn-by-a-crash"
  | "read-skips-in-flight"
  | "idempotent-from-time"
  | "stale-lease"
  | "epoch-kept"
  | "checkpoint-own-seq"
  | "last-write-wins"
  | "refused-but-written"
  | "cached-numbers";

export interface Tables {
  readonly bug: Bug | null;
  readonly runs: Map<string, Run>;
  readonly workers: Set<string>;
  /** Counts appends, for bugs that occur only sometimes. */
  appends: number;
}

export interface Run {
  /** In the order in which they became visible, which may differ from the order of their numbers. */
  readonly events: CanonicalEngineEvent[];
  nextSeq: number;
  epoch: number;
  owner: string | null;
  checkpoint: Checkpoint | null;
  /** The head's lock: waiters wait for this promise. */
  queue: Promise<void>;
  locked: boolean;
  readonly ranges: { next: number; end: number }[];
}

export function newTables(bug: Bug | null): Tables {
  return { bug, runs: new Map(), workers: new Set(), appends: 0 };
}

export function runOf(tables: Tables, runId: string): Run {
  const run = tables.runs.get(runId) ?? {
    events: [],
    nextSeq: 1,
    epoch: 0,
    owner: null,
    checkpoint: null,
    queue: Promise.resolve(),
    locked: false,
    ranges: [],
  };
  tables.runs.set(runId, run);
  return run;
}

export function inLogOrder(tables: Tables, runId: string): CanonicalEngineEvent[] {
  return [...(tables.runs.get(runId)?.events ?? [])].sort((a, b) => a.runSeq - b.runSeq);
}

/** Runs `work` while no other caller holds the run's head. */
export async function underLock<T>(run: Run, work: () => Promise<T>): Promise<T> {
  const before = run.queue;
  let release = (): void => {};
  run.queue = new Promise((resolve) => (release = resolve));
  await before;
  run.locked = true;
  try {
    return await work();
  } finally {
    run.locked = false;
    release();
  }
}

/** Yields to other callers, like a round trip does. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
