/** Reports which runs lost events when the store went back to an earlier state (F9). */
import type { FullStateStore } from "@runledger/contracts";
import type { Alert } from "./alerts.js";
import type { KnownRun } from "./run-cache.js";

/** Runs compared by one call. */
const PAGE = 100;

/** Returns the runs whose last event, as this process has read it, is no longer in their log. */
export async function findLost(store: FullStateStore, known: readonly KnownRun[]): Promise<KnownRun[]> {
  const lost: KnownRun[] = [];
  const read = known.filter(({ lastEventId }) => lastEventId !== undefined);
  for (let at = 0; at < read.length; at += PAGE) {
    const page = read.slice(at, at + PAGE);
    const before = page.map(({ state }) => ({ runId: state.runId, afterSeq: state.lastEventSeq - 1 }));
    const logs = await store.feed.fetchRuns(before, { limit: 1 });
    lost.push(...page.filter(({ lastEventId }, index) => logs[index]![0]?.eventId !== lastEventId));
  }
  return lost;
}

/** One alert per run, because only its tenant may see it. */
export function lostAlert({ state: { runId, lastEventSeq } }: KnownRun): Alert {
  const why = "the store went back to an earlier state, as after a failover";
  const message = `run ${runId} lost its last events: ${why}, and its event ${lastEventSeq} is no longer stored`;
  return { code: "EVENTS_LOST", severity: "critical", runId, message };
}
