import { RunledgerError, type CanonicalEngineEvent, type RunHead } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import type { LogOperations, RunAppend, RunOutcome } from "@runledger/core/store";
import { judgePart } from "./append-events.js";
import type { Commit, Folder } from "./folder.js";
import { toHead, visibleRun, type Tables } from "./tables.js";

/** What `StoreLog` of @runledger/core asks of a backend. Arguments are checked by the time they get here. */
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

/** A batch is one line of the journal; a part whose run the line already writes to begins the next one. */
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

/** As an outcome, not thrown: an earlier line of the batch may be stored, and its callers are told so. */
async function failureOf(committed: Promise<void>): Promise<RunledgerError | null> {
  return committed.then(
    () => null,
    (error: unknown) => {
      if (error instanceof RunledgerError) return error;
      throw error;
    },
  );
}

/** The parts in front of the first whose run came before. */
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

/** Readers may do with an event as they like. */
function copies(events: readonly CanonicalEngineEvent[]): CanonicalEngineEvent[] {
  return structuredClone(events) as CanonicalEngineEvent[];
}
