import { RunledgerError, type CanonicalEngineEvent, type RunHead } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import type { LogOperations, RunAppend, RunOutcome } from "@runledger/core/store";
import { judgePart } from "./append-events.js";
import type { Commit, Folder } from "./folder.js";
import { toHead, visibleRun, type Tables } from "./tables.js";

/** The operations that `StoreLog` of @runledger/core requires from a backend. `StoreLog` has validated the arguments. */
export function logOperations(folder: Folder): LogOperations {
  return {
    send: (parts) => folder.transaction((commit) => send(folder.tables, commit, parts)),
    fetchEvents: async ({ runId, afterSeq, toSeq, limit, tenantId }) => {
      const events = visibleRun(folder.tables, runId, tenantId)?.events ?? [];
      return copies(events.slice(afterSeq, Math.min(toSeq, afterSeq + limit)));
    },
    fetchByKeys: async ({ runId, keys, tenantId }) => {
      const byKey = visibleRun(folder.tables, runId, tenantId)?.byKey;
      const found = [...new Set(keys)].flatMap((key) => byKey?.get(key) ?? []);
      return copies(found.sort((a, b) => a.runSeq - b.runSeq));
    },
    fetchHeads: async ({ runIds, tenantId }) => headsOf(folder.tables, new Set(runIds), tenantId),
    listHeads: async ({ afterRunId, limit, tenantId }) => {
      const heads = headsOf(folder.tables, folder.tables.runs.keys(), tenantId);
      return heads.filter((head) => head.runId > afterRunId).slice(0, limit);
    },
    getSnapshot: async ({ runId, tenantId }) => {
      const [run, stored] = [visibleRun(folder.tables, runId, tenantId), folder.tables.projections.get(runId)];
      if (run === undefined || stored === undefined) return null;
      const snapshot = toRunSnapshot(toRunState(stored.header, stored.steps.values()));
      return run.events.length > snapshot.lastEventSeq ? { ...snapshot, stale: true } : snapshot;
    },
  };
}

/** Writes a batch as one line of the journal. A part whose run is already in the line starts the next line. */
async function send(tables: Tables, commit: Commit, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  while (outcomes.length < parts.length) {
    outcomes.push(...(await sendLine(tables, commit, withoutRepeatedRuns(parts.slice(outcomes.length)))));
  }
  return outcomes;
}

async function sendLine(tables: Tables, commit: Commit, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const judged = parts.map((part) => ({ part, ...judgePart(tables, part) }));
  const writes = judged.filter(({ events, checkpoint }) => events.length > 0 || checkpoint !== null);
  const appended = writes.map(({ part, events }) => ({ tenantId: part.tenantId, events }));
  const checkpoints = writes.flatMap(({ checkpoint }) => checkpoint ?? []);
  const failure = writes.length === 0 ? null : await failureOf(commit({ appended, checkpoints }));
  return judged.map((one) => (failure !== null && writes.includes(one) ? failure : one.outcome));
}

/** Returns the error as an outcome instead of throwing: earlier lines of the batch may be stored, and their callers must get results. */
async function failureOf(committed: Promise<void>): Promise<RunledgerError | null> {
  return committed.then(
    () => null,
    (error: unknown) => {
      if (error instanceof RunledgerError) return error;
      throw error;
    },
  );
}

/** The parts before the first one whose run occurs twice. */
function withoutRepeatedRuns(parts: readonly RunAppend[]): readonly RunAppend[] {
  const seen = new Set<string>();
  const repeated = parts.findIndex(({ runId }) => seen.size === seen.add(runId).size);
  return repeated === -1 ? parts : parts.slice(0, repeated);
}

function headsOf(tables: Tables, runIds: Iterable<string>, tenantId: string | undefined): RunHead[] {
  const heads = [...runIds].flatMap((runId) => {
    const run = visibleRun(tables, runId, tenantId);
    return run === undefined ? [] : [toHead(runId, run)];
  });
  return heads.sort((a, b) => (a.runId < b.runId ? -1 : 1));
}

/** Copies events, so that readers may change them. */
function copies(events: readonly CanonicalEngineEvent[]): CanonicalEngineEvent[] {
  return structuredClone(events) as CanonicalEngineEvent[];
}
