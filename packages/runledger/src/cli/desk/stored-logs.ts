/** What steps have printed, read from where the store keeps it. */
import { setTimeout as sleep } from "node:timers/promises";
import { RunNotFoundError, type FullStateStore } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "../../ledger/load-state.js";
import { BEGINNING } from "../../server/runs/log-place.js";
import { readLogs } from "../../server/runs/read-logs.js";
import type { LogOrder, PrintedLine } from "./desk.js";

const POLL_MS = 200;
const AT_ONCE = 1000;

export async function* storedLogs(
  store: FullStateStore,
  runId: string,
  { stepId, attempt, follow, enough }: LogOrder,
): AsyncGenerator<readonly PrintedLine[]> {
  if ((await store.fetchHeads([runId])).length === 0) throw new RunNotFoundError(runId);
  let place = BEGINNING;
  while (!enough.aborted) {
    // Looked at before the lines: what is printed after the last look belongs to a run that goes on.
    const isOver = !follow || isTerminal((await loadState(store, runId)).status);
    const page = await readLogs(store.artifacts, { runId, stepId, attempt }, { place, limit: AT_ONCE });
    place = page.place;
    if (page.items.length > 0) yield page.items;
    else if (isOver) return;
    else await sleep(POLL_MS, undefined, { signal: enough }).catch(() => {});
  }
}
