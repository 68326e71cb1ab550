/**
 * Starts that are asked for at the same time share a commit: they gather while earlier ones are on their way. Only those
 * are shared that fail for no reason but their own request: what belongs to a parent, to a schedule's time, to a request
 * across versions or to a fork takes back the statement it is in, and goes alone. So does whoever is left out of a shared
 * one, to be told why.
 */
import { checkEvent, RetryError, type RunStart } from "@runledger/contracts";
import type { Database } from "./client.js";
import { startRuns } from "./queue-start-many.js";
import { startRun, type Started } from "./queue-start.js";

/** What one statement carries without making its neighbours wait. */
const MOST = { starts: 100, bytes: 4 * 1024 * 1024 };
/** One is made while another is carried out. */
const MOST_IN_FLIGHT = 2;

interface Waiting {
  readonly start: RunStart;
  readonly bytes: number;
  readonly resolve: (started: Started) => void;
  readonly reject: (error: unknown) => void;
}

export function runStarter(db: Database): (start: RunStart) => Promise<Started> {
  const waiting: Waiting[] = [];
  let inFlight = 0;
  const flush = (): void => {
    while (inFlight < MOST_IN_FLIGHT && waiting.length > 0) {
      inFlight++;
      void startTogether(db, takeBatch(waiting)).then(() => {
        inFlight--;
        flush();
      });
    }
  };
  return async (start) => {
    if (!isPlain(start)) return startRun(db, start);
    const bytes = checkEvent(start.event).dataJson.length;
    return new Promise((resolve, reject) => {
      if (waiting.push({ start, bytes, resolve, reject }) === 1) setImmediate(flush);
    });
  };
}

function isPlain({ parent, tick, kept = [], dedupeKey, startAt }: RunStart): boolean {
  return kept.length === 0 && [parent, tick, dedupeKey, startAt].every((special) => special === undefined);
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let bytes = 0;
  const tooMuch = waiting.findIndex((each, place) => (bytes += each.bytes) > MOST.bytes && place > 0);
  return waiting.splice(0, Math.min(MOST.starts, tooMuch < 0 ? waiting.length : tooMuch));
}

async function startTogether(db: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    const started = await shared(db, batch);
    for (const { start, resolve } of batch) if (started.has(start)) resolve(started.get(start)!);
    await Promise.all(batch.filter(({ start }) => !started.has(start)).map((each) => startAlone(db, each)));
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

/** What is wrong with one of them is no answer to the others (P6); that nobody knows is one to all (P7). */
async function shared(db: Database, batch: readonly Waiting[]): Promise<ReadonlyMap<RunStart, Started>> {
  if (batch.length === 1) return new Map();
  return startRuns(
    db,
    batch.map(({ start }) => start),
  ).catch((error: unknown) => {
    if (error instanceof RetryError) throw error;
    return new Map();
  });
}

async function startAlone(db: Database, { start, resolve, reject }: Waiting): Promise<void> {
  await startRun(db, start).then(resolve, reject);
}
