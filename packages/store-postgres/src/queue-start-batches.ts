/**
 * Concurrent starts share a commit: they collect while earlier ones are in flight. Only starts that can fail for no
 * reason but their own request are shared. A start with a parent, a schedule tick, a dedupe key across versions or a
 * fork can roll back its statement, so it runs alone. A start that a shared statement left out also runs alone, to
 * learn why.
 */
import { checkEvent, RetryError, type RunStart } from "@runledger/contracts";
import type { Database } from "./client.js";
import { startRuns } from "./queue-start-many.js";
import { startRun, type Started } from "./queue-start.js";

/** The largest batch that does not delay its neighbors. */
const MOST = { starts: 100, bytes: 4 * 1024 * 1024 };
/** One batch is prepared while another is executed. */
const MOST_IN_FLIGHT = 2;

interface Waiting {
  readonly start: RunStart;
  readonly bytes: number;
  readonly resolve: (started: Started) => void;
  readonly reject: (error: unknown) => void;
}

export function batchStarts(db: Database): (start: RunStart) => Promise<Started> {
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

/** An error of one start is not the result of the others (P6). An unknown outcome is the result of all (P7). */
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
