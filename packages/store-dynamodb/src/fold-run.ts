import { evolve, initialState, type RunState } from "@runledger/core";
import type { Db } from "./db.js";
import { readRange } from "./fetch-events.js";
import type { HeadItem } from "./heads.js";

/** Small, because an event can have 256 KB. */
const PAGE = 200;

/** Folds the log page by page. `null` if an event is missing (F6). */
export async function foldRun({ client }: Db, { runId, headSeq }: HeadItem): Promise<RunState | null> {
  let state = initialState(runId);
  for (let seq = 0; seq < headSeq;) {
    const page = await readRange(client, { runId, afterSeq: seq, toSeq: headSeq, limit: PAGE });
    if (page.length === 0 || page.some(({ runSeq }, index) => runSeq !== seq + index + 1)) return null;
    for (const event of page) state = evolve(state, event);
    seq = page.at(-1)!.runSeq;
  }
  return state;
}
