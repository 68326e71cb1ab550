/** Reads the lines that steps printed from the store's artifacts. */
import { setTimeout as sleep } from "node:timers/promises";
import { RunNotFoundError, type FullStateStore } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "@runledger/runtime/runs/load-state";
import { LOG_START } from "@runledger/runtime/logs/log-cursor";
import { readLogs } from "@runledger/runtime/logs/read-logs";
import type { LogLine, LogParams } from "./backend.js";

const POLL_MS = 200;
const LINES_PER_PAGE = 1000;

export async function* followStoreLogs(
  store: FullStateStore,
  runId: string,
  { stepId, attempt, follow, signal }: LogParams,
): AsyncGenerator<readonly LogLine[]> {
  if ((await store.fetchHeads([runId])).length === 0) throw new RunNotFoundError(runId);
  let cursor = LOG_START;
  while (!signal.aborted) {
    // Read the status before the lines: a run that is finished prints nothing more.
    const isFinished = !follow || isTerminal((await loadState(store, runId)).status);
    const page = await readLogs(store.artifacts, { runId, stepId, attempt }, { cursor, limit: LINES_PER_PAGE });
    cursor = page.cursor;
    if (page.items.length > 0) yield page.items;
    else if (isFinished) return;
    else await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}
