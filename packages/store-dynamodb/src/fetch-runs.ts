import type { CanonicalEngineEvent, RunWatermark } from "@runledger/contracts";
import type { Db } from "./db.js";
import { readRange } from "./fetch-events.js";
import { readHeads } from "./heads.js";

/** Reads of different runs at the same time. */
const AT_ONCE = 16;

/** Events of many runs, each above its watermark. After `maxBytes`, further runs are left for the next call. */
export async function fetchRuns(
  db: Db,
  runs: readonly RunWatermark[],
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
): Promise<readonly (readonly CanonicalEngineEvent[])[]> {
  const heads = await readHeads(
    db.client,
    runs.map(({ runId }) => runId),
  );
  const results: CanonicalEngineEvent[][] = [];
  let bytes = 0;
  for (let start = 0; start < runs.length; start += AT_ONCE) {
    if (bytes > maxBytes) {
      results.push(...runs.slice(start).map(() => []));
      break;
    }
    const page = runs.slice(start, start + AT_ONCE).map(({ runId, afterSeq }, index) => {
      const toSeq = heads[start + index]?.headSeq ?? 0;
      return readRange(db.client, { runId, afterSeq, toSeq, limit, maxBytes });
    });
    for (const events of await Promise.all(page)) {
      results.push(events);
      for (const { eventData } of events) bytes += maxBytes === Number.MAX_SAFE_INTEGER ? 0 : sizeOf(eventData);
    }
  }
  return results;
}

const sizeOf = (data: unknown): number => JSON.stringify(data).length;
