import type { CanonicalEngineEvent, Checkpoint, StateStore } from "@runledger/contracts";
import type { History, RunLog } from "./history.js";

/** What a store holds when nobody writes to it any more: the part of a history that no client sees. */
export async function readEnd(store: StateStore): Promise<Pick<History, "logs" | "checkpoints">> {
  const logs: RunLog[] = [];
  const checkpoints: Checkpoint[] = [];
  for (const runId of await everyRun(store)) {
    const events: CanonicalEngineEvent[] = [];
    for await (const event of store.streamEvents(runId)) events.push(event);
    logs.push({ runId, events });
    const checkpoint = await store.checkpoints?.loadCheckpoint(runId);
    if (checkpoint) checkpoints.push(checkpoint);
  }
  return { logs, checkpoints };
}

async function everyRun(store: StateStore): Promise<string[]> {
  const runIds: string[] = [];
  for (;;) {
    const afterRunId = runIds.at(-1);
    const page = await store.listHeads({ archived: true, ...(afterRunId === undefined ? {} : { afterRunId }) });
    const last = page.at(-1)?.runId;
    if (last === undefined) return runIds;
    if (last === afterRunId) throw new Error(`listing heads does not get past ${last}`);
    runIds.push(...page.map((head) => head.runId));
  }
}
