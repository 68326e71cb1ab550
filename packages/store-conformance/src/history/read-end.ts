import {
  LogGapError,
  omitUndefined,
  type CanonicalEngineEvent,
  type Checkpoint,
  type RunHead,
  type StateStore,
} from "@runledger/contracts";
import type { History, RunLog } from "./history.js";

/** Reads a store's content after all writers have finished: the part of a history that no client sees. */
export async function readEnd(store: StateStore): Promise<Pick<History, "logs" | "checkpoints">> {
  const logs: RunLog[] = [];
  const checkpoints: Checkpoint[] = [];
  for (const { runId, headSeq } of await everyHead(store)) {
    await store.settling?.settleSeq({ runId, seq: headSeq }); // no writer is left to fill a gap (P10)
    logs.push({ runId, events: await readAll(store, runId) });
    const checkpoint = await store.checkpoints?.loadCheckpoint(runId);
    if (checkpoint) checkpoints.push(checkpoint);
  }
  return { logs, checkpoints };
}

/** Reads past gaps, because the checker reports them. */
async function readAll(store: StateStore, runId: string): Promise<CanonicalEngineEvent[]> {
  const events: CanonicalEngineEvent[] = [];
  for (let afterSeq: number | null = 0; afterSeq !== null;) {
    try {
      for await (const event of store.streamEvents(runId, { afterSeq })) events.push(event);
      afterSeq = null;
    } catch (error) {
      if (!(error instanceof LogGapError)) throw error;
      afterSeq = error.gap.to;
    }
  }
  return events;
}

async function everyHead(store: StateStore): Promise<RunHead[]> {
  const heads: RunHead[] = [];
  for (;;) {
    const afterRunId = heads.at(-1)?.runId;
    const page = await store.listHeads({ archived: true, ...omitUndefined({ afterRunId }) });
    const last = page.at(-1)?.runId;
    if (last === undefined) return heads;
    if (last === afterRunId) throw new Error(`Listing heads does not advance past ${last}.`);
    heads.push(...page);
  }
}
