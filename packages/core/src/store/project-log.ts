import { LogGapError, RunNotFoundError, type EventLog, type RunSnapshot } from "@runledger/contracts";
import { evolve } from "../fold/evolve.js";
import { assertComplete } from "../fold/log-gap.js";
import { initialState } from "../fold/run-state.js";
import { toRunSnapshot } from "../fold/to-run-snapshot.js";

/** Folds the log of a run. Stops before a gap and sets `stale` (F6). Throws LOG_GAP if the first event is missing. */
export async function projectLog(
  log: Pick<EventLog, "fetchHeads" | "streamEvents">,
  runId: string,
): Promise<RunSnapshot> {
  const [head] = await log.fetchHeads([runId]); // read first, so that the log has at least these events
  if (head === undefined) throw new RunNotFoundError(runId);
  const state = { current: initialState(runId) };
  try {
    for await (const event of log.streamEvents(runId)) state.current = evolve(state.current, event);
    assertComplete(runId, state.current.lastEventSeq, head.headSeq);
  } catch (error) {
    if (!(error instanceof LogGapError) || state.current.lastEventSeq === 0) throw error;
    return { ...toRunSnapshot(state.current), stale: true };
  }
  return toRunSnapshot(state.current);
}
