/** Starts a run with more events than one transaction holds: a fork that keeps many events. */
import { RunledgerError, SeqMismatchError } from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { registered, writeHead, type Rider } from "./append-transaction.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import { readHead, type HeadItem } from "./heads.js";
import { stageEvents } from "./import-events.js";
import type { Place } from "./lanes.js";

/** The run must be new. */
export async function appendLarge(db: Db, part: RunAppend, rider: Rider): Promise<RunOutcome> {
  const { runId } = part;
  await rider.plan({ head: null, now: db.client.clock.now() }); // refused before anything is written
  const now = db.client.clock.now();
  const events = part.events.map((event, index) => ({ ...event, runSeq: index + 1, persistedAt: iso(now) }));
  const staged = await stageEvents(db, runId, null, events);
  const commit = async (place: Place): Promise<RunOutcome> => {
    const riding = await rider.plan({ head: null, now });
    const head = headOf(part, events.length, now, place);
    const change = place.actions({ runId, headSeq: events.length, at: now });
    try {
      await db.client.transact([writeHead(null, head), ...change, ...staged, ...riding, registered(head)]);
    } catch (error) {
      place.lost(null);
      if (error instanceof RunledgerError) return error;
      if (!(error instanceof Cancelled)) throw error;
      await rider.plan({ head: await readHead(db.client, runId), now }); // tells if the request has a run meanwhile
      return new SeqMismatchError(runId, 0, (await readHead(db.client, runId))?.headSeq ?? 0);
    }
    place.taken();
    return events.map(({ runSeq }) => ({ runSeq, idempotent: false, persisted: true }));
  };
  return db.lanes.withPlace(commit);
}

function headOf({ runId, tenantId }: RunAppend, headSeq: number, now: number, { lane, n }: Place): HeadItem {
  const free = { leaseEpoch: 0, leaseOwner: null, archived: false, checkpointSeq: -1 };
  return { runId, tenantId, headSeq, persistedAt: now, lane, laneN: n, ...free };
}
