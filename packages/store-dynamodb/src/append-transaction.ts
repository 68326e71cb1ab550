/** The transaction of an append, and what its cancellation tells. */
import type { CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import { learnKey, newEvents, type Facts } from "./append-facts.js";
import { bytesOf } from "./append-limits.js";
import { checkpointActions } from "./checkpoints.js";
import { iso } from "./clock.js";
import { absent, equals } from "./conditions.js";
import type { Db } from "./db.js";
import { dataHash, keyIsNew, numberIsFree, putEvent, putEventKey, type NumberedEvent } from "./event-items.js";
import type { Cancelled } from "./errors.js";
import { toHeadItem, type HeadItem } from "./heads.js";
import type { Place } from "./lanes.js";
import { queueEffects } from "./queue-effects.js";
import { headKey, headsKey } from "./table.js";

/** Adds actions to the transaction of an append. Called again with new facts if the transaction was cancelled. */
export interface Rider {
  plan(facts: { readonly head: HeadItem | null; readonly now: number }): Promise<readonly WriteAction[]>;
}

export interface Planned {
  /** The head is the first action, the lane the second; the keys follow after the change. */
  readonly actions: readonly WriteAction[];
  readonly events: readonly NumberedEvent[];
  readonly written: ReadonlyMap<string, { readonly seq: number; readonly data: string }>;
  /** The head after the transaction. */
  readonly head: HeadItem;
}

const LANE = 1;
const FIRST_KEY = 3;

export async function planAppend(params: {
  readonly db: Db;
  readonly part: RunAppend;
  readonly facts: Facts;
  readonly place: Place;
  readonly rider: Rider | undefined;
}): Promise<Planned> {
  const { db, part, facts, place, rider } = params;
  const before = facts.head;
  const now = Math.max(before?.persistedAt ?? 0, db.client.clock.now());
  const events = numbered(newEvents(facts, part.events), before?.headSeq ?? 0, now);
  const head = headAfter(before, part, { headSeq: events.at(-1)!.runSeq, now, place });
  const checkpoint = checkpointActions(before, part.checkpoint, bytesOf(events));
  const [riding, effects] = await Promise.all([
    rider?.plan({ head: before, now }) ?? [],
    queueEffects(db.client, part, head.tenantId, now),
  ]);
  const actions = [
    writeHead(before, {
      ...head,
      checkpointSeq: (checkpoint.set["cpSeq"] as number | undefined) ?? head.checkpointSeq,
    }),
    ...place.actions({ runId: part.runId, headSeq: head.headSeq, at: now }),
    ...events.map((event) => putEventKey(event, keyIsNew(facts.leftovers.get(event.event.idempotencyKey)))),
    ...events.flatMap((event) => putEvent(event, numberIsFree)),
    ...checkpoint.actions,
    ...effects,
    ...riding,
    ...(before === null ? [registered(head)] : []),
  ];
  const written = events.map((event) => [
    event.event.idempotencyKey,
    { seq: event.runSeq, data: dataHash(event.dataJson) },
  ]);
  return {
    actions,
    events,
    written: new Map(written as [string, { seq: number; data: string }][]),
    head: { ...head, checkpointSeq: (checkpoint.set["cpSeq"] as number | undefined) ?? head.checkpointSeq },
  };
}

function numbered(events: readonly CheckedEvent[], headSeq: number, now: number): NumberedEvent[] {
  const persistedAt = iso(now);
  return events.map((event, index) => ({ ...event, runSeq: headSeq + index + 1, persistedAt }));
}

function headAfter(
  before: HeadItem | null,
  { runId, tenantId, ends }: RunAppend,
  { headSeq, now, place }: { readonly headSeq: number; readonly now: number; readonly place: Place },
): HeadItem {
  const start = { runId, tenantId, leaseEpoch: 0, leaseOwner: null, archived: false, checkpointSeq: -1 };
  const change = { headSeq, persistedAt: now, lane: place.lane, laneN: place.n };
  const released = ends ? { leaseOwner: null } : {}; // the owner that finished the run no longer holds it
  return { ...start, ...before, ...change, ...released };
}

/** Requires the head on which the append was decided. Other attributes are left as they are. */
export function writeHead(before: HeadItem | null, after: HeadItem): WriteAction {
  const { runId, headSeq, persistedAt, lane, laneN, checkpointSeq } = after;
  const moved = { headSeq, persistedAt, lane, laneN, cpSeq: checkpointSeq === -1 ? null : checkpointSeq };
  const key = headKey(runId);
  if (before === null) {
    const { tenantId, leaseEpoch, leaseOwner } = after;
    return { kind: "put", item: { ...key, runId, tenantId, leaseEpoch, leaseOwner, ...moved }, when: absent };
  }
  const owner = after.leaseOwner === before.leaseOwner ? {} : { leaseOwner: after.leaseOwner };
  const when = equals({ headSeq: before.headSeq, leaseEpoch: before.leaseEpoch, archived: null });
  return { kind: "update", key, set: { ...moved, ...owner }, when };
}

/** Every run is in the list of heads. */
export function registered({ runId, tenantId }: HeadItem): WriteAction {
  return { kind: "put", item: { ...headsKey(runId), tenantId } };
}

/** Takes over what the cancellation tells: the stored head, the lane and the stored keys. */
export function learn(facts: Facts, place: Place, { events }: Planned, cancelled: Cancelled): void {
  facts.areRead = false;
  if (cancelled.failed(0)) {
    const item = cancelled.itemAt(0);
    facts.head = item === null ? null : toHeadItem(item);
    facts.keys.clear();
  }
  if (cancelled.failed(LANE)) place.lost(cancelled.itemAt(LANE));
  events.forEach(({ event }, index) => {
    const item = cancelled.itemAt(FIRST_KEY + index);
    if (item !== null) learnKey(facts, event.idempotencyKey, item);
  });
}
