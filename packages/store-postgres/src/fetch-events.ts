/**
 * Reads the log. A run is in the log or in the archive, never in both. One statement reads both, so that it does not
 * miss a run that is archived meanwhile. Each half stops at its own limit, so that no page reads the rest of the run. A
 * scope whose tenant does not own the run finds nothing.
 *
 * Concurrent reads share a round trip, as when a worker has claimed many runs: the first events of each run come
 * together, and a caller that needs more reads again alone.
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { FetchParams } from "@runledger/core/store";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";
import { eventColumns, toEvent } from "./event-rows.js";

const ofOne: Statement = {
  name: "fetch_events",
  text: `
SELECT * FROM (
  (SELECT ${eventColumns} FROM runledger.run_events
   WHERE run_id = $1 AND run_seq > $2 AND run_seq <= $3 ORDER BY run_seq LIMIT $4)
  UNION ALL
  (SELECT ${eventColumns} FROM runledger.run_events_archive
   WHERE run_id = $1 AND run_seq > $2 AND run_seq <= $3 ORDER BY run_seq LIMIT $4)
) e
WHERE $5::text IS NULL OR EXISTS (SELECT FROM runledger.run_heads WHERE run_id = $1 AND tenant_id = $5)
ORDER BY run_seq LIMIT $4`,
};

/** Events of each run in a shared result, which must stay small for any number of callers. */
const SHARE = 40;
const MOST_TOGETHER = 50;

const ofMany: Statement = {
  name: "fetch_events_of_many",
  text: `
SELECT e.*, r.place FROM (
  SELECT unnest($1::bigint[]) AS place, unnest($2::text[]) AS run_id, unnest($3::bigint[]) AS after_seq,
    unnest($4::bigint[]) AS to_seq, unnest($5::text[]) AS tenant_id
) r
CROSS JOIN LATERAL (
  (SELECT ${eventColumns} FROM runledger.run_events
   WHERE run_id = r.run_id AND run_seq > r.after_seq AND run_seq <= r.to_seq ORDER BY run_seq LIMIT ${SHARE})
  UNION ALL
  (SELECT ${eventColumns} FROM runledger.run_events_archive
   WHERE run_id = r.run_id AND run_seq > r.after_seq AND run_seq <= r.to_seq ORDER BY run_seq LIMIT ${SHARE})
) e
WHERE r.tenant_id IS NULL
  OR EXISTS (SELECT FROM runledger.run_heads h WHERE h.run_id = r.run_id AND h.tenant_id = r.tenant_id)
ORDER BY r.place, e.run_seq`,
};

interface Asked {
  readonly params: FetchParams;
  readonly resolve: (events: CanonicalEngineEvent[] | Promise<CanonicalEngineEvent[]>) => void;
  readonly reject: (error: unknown) => void;
}

export function eventFetcher(db: Database): (params: FetchParams) => Promise<CanonicalEngineEvent[]> {
  let asked: Asked[] = [];
  const answer = (): void => {
    for (; asked.length > 0; asked = asked.slice(MOST_TOGETHER)) void answerAll(db, asked.slice(0, MOST_TOGETHER));
  };
  return (params) =>
    new Promise((resolve, reject) => {
      if (asked.push({ params, resolve, reject }) === 1) setImmediate(answer);
    });
}

async function answerAll(db: Database, asked: readonly Asked[]): Promise<void> {
  try {
    const [first] = asked;
    if (asked.length === 1) return first!.resolve(fetchAlone(db, first!.params));
    const pages = await fetchTogether(db, asked);
    asked.forEach(({ params, resolve }, place) => resolve(completed(db, params, pages.get(place) ?? [])));
  } catch (error) {
    for (const { reject } of asked) reject(error);
  }
}

async function fetchAlone(db: Database, params: FetchParams): Promise<CanonicalEngineEvent[]> {
  const { runId, afterSeq, toSeq, limit, tenantId } = params;
  const rows = await db.read(ofOne, [runId, afterSeq, toSeq, limit, tenantId ?? null]);
  return rows.map(toEvent);
}

async function fetchTogether(db: Database, asked: readonly Asked[]): Promise<Map<number, Row[]>> {
  const all = asked.map(({ params }) => params);
  const rows = await db.read(ofMany, [
    numberArray(all.map((_, place) => place)),
    textArray(all.map(({ runId }) => runId)),
    numberArray(all.map(({ afterSeq }) => afterSeq)),
    numberArray(all.map(({ toSeq }) => toSeq)),
    textArray(all.map(({ tenantId }) => tenantId ?? null)),
  ]);
  const pages = new Map<number, Row[]>();
  for (const row of rows) {
    const place = row.at(-1) as number;
    if (pages.get(place)?.push(row) === undefined) pages.set(place, [row]);
  }
  return pages;
}

/** A full share may not be all the events. */
function completed(
  db: Database,
  params: FetchParams,
  share: readonly Row[],
): CanonicalEngineEvent[] | Promise<CanonicalEngineEvent[]> {
  if (share.length >= SHARE && params.limit > share.length) return fetchAlone(db, params);
  return share.slice(0, params.limit).map(toEvent);
}
