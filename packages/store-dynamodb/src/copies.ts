/** Imports events that another store recorded. */
import { SeqMismatchError, StopError } from "@runledger/contracts";
import type { CheckedCopy } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import { registered, writeHead } from "./append-transaction.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import { readHead, type HeadItem } from "./heads.js";
import { stageEvents } from "./import-events.js";
import { chunked } from "./items.js";
import type { Place } from "./lanes.js";
import { newRow } from "./queue-effects.js";
import { readRows, writeRow } from "./queue-rows.js";
import { startActions, startKey } from "./start-keys.js";
import { getItem } from "./items.js";
import { finishSweep, notSwept } from "./sweep-deleted.js";

/** Runs that one transaction can move. A larger call is several transactions, each of them complete. */
const RUNS = 6;

export async function writeCopies(db: Db, copies: readonly CheckedCopy[]): Promise<void> {
  const heads = await Promise.all(copies.map((copy) => checkedHead(db, copy)));
  const pairs = copies.map((copy, index) => ({ copy, before: heads[index]! }));
  const staged: (readonly WriteAction[])[] = [];
  for (const { copy, before } of pairs) staged.push(await stageCopy(db, copy, before.head));
  const ready = pairs.map((pair, index) => ({ ...pair, staged: staged[index]! }));
  for (const page of chunked(ready, RUNS)) await commit(db, page);
}

async function checkedHead(db: Db, { runId, tenantId, afterSeq }: CheckedCopy): Promise<{ head: HeadItem | null }> {
  await finishSweep(db, runId);
  const head = await readHead(db.client, runId);
  const headSeq = head?.headSeq ?? 0;
  if (headSeq !== afterSeq) throw new SeqMismatchError(runId, afterSeq, headSeq);
  if (head !== null && head.tenantId !== tenantId)
    throw new StopError(
      "COPY_MISMATCH",
      `Run ${runId} belongs to tenant ${head.tenantId} here, but to ${tenantId} in the copy. Copy it into another store.`,
    );
  return { head };
}

const stageCopy = (db: Db, { runId, events }: CheckedCopy, head: HeadItem | null): Promise<readonly WriteAction[]> =>
  stageEvents(db, runId, head, events);

interface Ready {
  readonly copy: CheckedCopy;
  readonly before: { readonly head: HeadItem | null };
  readonly staged: readonly WriteAction[];
}

async function commit(db: Db, page: readonly Ready[]): Promise<void> {
  for (;;) {
    try {
      return await withPlaces(db, page.length, async (places) => {
        const each = await Promise.all(page.map((ready, index) => actionsOf(db, ready, places[index]!)));
        await db.client.transact(each.flat());
        places.forEach((place) => place.taken());
      });
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      for (const { copy } of page) await checkedHead(db, copy); // throws if a head has moved
    }
  }
}

/** Each run takes a place in its own lane. */
function withPlaces<T>(db: Db, count: number, use: (places: readonly Place[]) => Promise<T>): Promise<T> {
  const take = (places: readonly Place[]): Promise<T> =>
    places.length === count
      ? use(places)
      : db.lanes.withPlace(async (place) => {
          try {
            return await take([...places, place]);
          } catch (error) {
            place.lost(null);
            throw error;
          }
        });
  return take([]);
}

async function actionsOf(db: Db, { copy, before, staged }: Ready, place: Place): Promise<readonly WriteAction[]> {
  const { runId, tenantId, events } = copy;
  const last = events.at(-1)!;
  const at = Date.parse(last.persistedAt);
  const free = { leaseEpoch: 0, leaseOwner: null, archived: false, checkpointSeq: -1 };
  const moved = { headSeq: last.runSeq, persistedAt: at, lane: place.lane, laneN: place.n };
  const head: HeadItem = { runId, tenantId, ...free, ...before.head, ...moved };
  return [
    writeHead(before.head, head),
    ...place.actions({ runId, headSeq: last.runSeq, at: db.client.clock.now() }),
    ...staged,
    ...(before.head === null ? [registered(head), notSwept(runId)] : []),
    ...(await queueActions(db, copy)),
    ...(await startedBy(db, copy)),
  ];
}

async function queueActions(db: Db, { runId, tenantId, place }: CheckedCopy): Promise<readonly WriteAction[]> {
  const [row = null] = await readRows(db.client, [runId]);
  if (place === null) return row === null ? [] : writeRow(db.client, row, null);
  return row === null ? writeRow(db.client, null, newRow(place, { runId, tenantId, now: db.client.clock.now() })) : [];
}

async function startedBy(db: Db, { runId, tenantId, start }: CheckedCopy): Promise<readonly WriteAction[]> {
  if (start === undefined || (await getItem(db.client, startKey(start.startKey))) !== null) return [];
  return startActions({ runId, inputHash: start.inputHash }, { tenantId, keys: [start.startKey], tick: null });
}
