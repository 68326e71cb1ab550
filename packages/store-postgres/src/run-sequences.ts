/** Numbers from a database sequence per run (P10), and the cleanup of sequences that are no longer needed. */
import { numberArray, plainTextArray } from "./arrays.js";
import type { NumberSource, NumbersToDraw } from "./append-drawn.js";
import { firstOf, type Calls, type Statement } from "./client.js";

const draw: Statement = {
  name: "sequences_draw",
  limit: "append",
  text: "SELECT numbers FROM runledger.draw_numbers($1::text[], $2::bigint[], $3::integer[]) ORDER BY ordinal",
};

const drop: Statement = {
  name: "sequences_drop",
  text: "SELECT last_run, dropped FROM runledger.drop_run_sequences($1, $2)",
};

/** PostgreSQL holds a lock per sequence until the transaction ends, in a table of limited size. */
const TOGETHER = 100;
/** Draws between two steps of the cleanup. */
const DRAWS = 100;

export function runSequences(db: Calls): NumberSource {
  const clean = sequenceCleaner(db);
  let left = Math.ceil(Math.random() * DRAWS); // processes that append little take their turn
  const drawSome = async (runs: readonly NumbersToDraw[]): Promise<readonly (readonly number[])[]> => {
    const rows = await db.write(draw, [
      plainTextArray(runs.map(({ runId }) => runId)),
      numberArray(runs.map(({ headSeq }) => headSeq)),
      numberArray(runs.map(({ count }) => count)),
    ]);
    return rows.map(([numbers]) => (numbers as readonly (string | number)[]).map(Number));
  };
  return {
    draw: async (runs) => {
      if (--left <= 0) {
        left = DRAWS;
        clean().catch(() => {}); // the next turn drops more
      }
      const drawn: (readonly number[])[] = [];
      for (let at = 0; at < runs.length; at += TOGETHER) drawn.push(...(await drawSome(runs.slice(at, at + TOGETHER))));
      return drawn;
    },
    clean,
    close: async () => {},
  };
}

/**
 * Returns a function that does one step of the cleanup and returns the number of dropped sequences. Each step looks at the
 * next 100 registered runs and continues at the first one after the last.
 */
export function sequenceCleaner(db: Calls): () => Promise<number> {
  let afterRun = "";
  return async () => {
    const [last, dropped] = firstOf(await db.write(drop, [afterRun, TOGETHER])) as [string | null, number];
    afterRun = last ?? "";
    return dropped;
  };
}
