/** A writer whose events wait between drawing their numbers and storing them, like one whose process is suspended. */
import { Coalescer, StoreLog, type LogOperations } from "@runledger/core/store";
import { drawnAppender, type Hold, type NumberSource } from "../src/append-drawn.js";
import { connect, type Database } from "../src/client.js";
import { eventFetcher } from "../src/fetch-events.js";
import { fetchHeads } from "../src/heads.js";
import { runSequences } from "../src/run-sequences.js";
import { timeLimits } from "../src/time-limits.js";

export interface StallingWriter extends AsyncDisposable {
  readonly log: StoreLog;
  readonly db: Database;
}

export async function stallingWriter(
  url: string,
  hold: Hold,
  source: (db: Database) => NumberSource = runSequences,
): Promise<StallingWriter> {
  const db = await connect({ url, poolSize: 4, connectTimeoutMs: 30_000, ...timeLimits(url, {}) });
  const numbers = source(db);
  const operations: LogOperations = {
    send: drawnAppender(db, numbers, hold),
    contiguous: false,
    fetchEvents: eventFetcher(db),
    fetchByKeys: async () => [],
    fetchHeads: (params) => fetchHeads(db, params),
    listHeads: async () => [],
    getSnapshot: async () => null,
  };
  const limits = { maxEvents: 500, maxBytes: 4_000_000, maxBatchesInFlight: 4 };
  const coalescer = new Coalescer({ ...limits, send: operations.send, soon: setImmediate });
  return {
    log: new StoreLog(operations, coalescer),
    db,
    [Symbol.asyncDispose]: async () => {
      await coalescer.close();
      await numbers.close();
      await db.close();
    },
  };
}

/** Holds the first call until `letGo`, and no later one. `isHeld` resolves when it has drawn its numbers. */
export function holdOnce(): {
  readonly hold: Hold;
  readonly isHeld: Promise<readonly (number | null)[]>;
  letGo(): void;
} {
  let note = (_numbers: readonly (number | null)[]): void => {};
  let letGo = (): void => {};
  const isHeld = new Promise<readonly (number | null)[]>((resolve) => (note = resolve));
  const free = new Promise<void>((resolve) => (letGo = resolve));
  const hold: Hold = (numbers) => {
    note(numbers);
    return free;
  };
  return { hold, isHeld, letGo: () => letGo() };
}
