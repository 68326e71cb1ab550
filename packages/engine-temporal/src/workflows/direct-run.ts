/**
 * Drives a run of a store without a queue. There is no dispatcher and no lease: the execution starts with the run, waits
 * inside itself, and is woken by signals.
 */
import { fromCheckpoint } from "@runledger/core";
import { lastEpoch } from "@runledger/runtime/engine/event-origin";
import { continueAsNew, defineSignal, getExternalWorkflowHandle, setHandler } from "@temporalio/workflow";
import { WAKE, type Grant, type Loaded, type RunInput } from "../messages.js";
import { ledger } from "./activity-proxies.js";
import { HistoryLimit } from "./history-limit.js";
import { RunExecution } from "./run-execution.js";

const wakeSignal = defineSignal(WAKE);

export async function driveDirectly({ runId, settings, grant }: RunInput): Promise<void> {
  const limit = new HistoryLimit(settings);
  let wakes = 0;
  setHandler(wakeSignal, () => void (wakes += 1));
  for (let epoch = grant?.epoch; ;) {
    const first = wakes;
    const loaded = await ledger.load({ runId });
    epoch ??= nextEpoch(loaded);
    const own = { epoch, slot: true, takenFrom: null };
    const current = (): Grant => ({ ...own, wakes });
    const params = { runId, settings, limit, loaded, first: { ...own, wakes: first }, grant: current };
    const execution = new RunExecution({ ...params, isDirect: true });
    const outcome = await execution.drive();
    if (outcome === "full") await continueAsNew({ runId, settings, grant: current(), isDirect: true });
    await wake(execution.parentRunId);
    if (execution.seenWakes === wakes) return;
  }
}

/** Each execution that does not continue another one owns the run under a new epoch, so it records what was lost (N4). */
function nextEpoch({ cursor }: Loaded): number {
  return lastEpoch(fromCheckpoint(cursor)!) + 1;
}

/** The parent checks its children. If it has no open execution, it does so when it gets one. */
async function wake(runId: string | undefined): Promise<void> {
  if (runId === undefined) return;
  await getExternalWorkflowHandle(runId)
    .signal(wakeSignal)
    .catch(() => {});
}
