/**
 * The queue row of an unfinished run, and the index items that lead to it. The row is the truth. Its index items follow from
 * it, and change in the same transaction.
 */
import { isDeepStrictEqual } from "node:util";
import type { Counted, PlanRef } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals } from "./conditions.js";
import { number, numberOrNull, text, textOrNull, type Item } from "./encoding.js";
import { getItems } from "./items.js";
import {
  ACTIONS,
  BY_PLAN,
  HOLDERS,
  joined,
  KEYED,
  LANES,
  OPEN_RUNS,
  openTicksPartition,
  OWNED,
  part,
  priorityKey,
  QUEUED,
  READY,
  timeKey,
  TIMERS,
} from "./queue-keys.js";
import { tickOf } from "./start-keys.js";
import { queueKey, type Key } from "./table.js";

/** The properties of a run that decide which worker may claim it. They never change. */
export interface QueuedPlan extends PlanRef, Counted {
  readonly runId: string;
  readonly logFormat: number;
  readonly priority: number;
}

/** The properties that decide when it is claimed. Times are milliseconds since 1970. */
export interface QueueTimes {
  /** `Infinity` if the run waits until it is woken. Meaningless while the run is owned. */
  readonly availableAt: number;
  /** `true` while a queued run waits for its start time. */
  readonly isDelayed?: boolean;
  /** The time when it first got a slot. From then on it holds its concurrency key. `null` if it is queued. */
  readonly startedAt: number | null;
  /** The time since which an operator's action waits for an answer. `null` if none does. */
  readonly actsAt: number | null;
}

export interface QueueRow extends QueuedPlan, QueueTimes {
  readonly queuedAt: number;
  readonly wakes: number;
  readonly owner: string | null;
  /** `true` if it is owned and counts as running. */
  readonly slot: boolean;
  /** The schedule and the time that the run was started for. `null` if there is none; absent if not read yet. */
  readonly tick?: RunTick | null;
  /** Incremented by every write, so that a write can require that nothing has changed. */
  readonly version: number;
}

export interface RunTick {
  readonly scheduleId: string;
  readonly tick: string;
}

export async function readRows(client: DynamoClient, runIds: readonly string[]): Promise<(QueueRow | null)[]> {
  const items = await getItems(client, runIds.map(queueKey));
  return items.map((item) => (item === null ? null : toRow(item)));
}

/** `Infinity` is no number of DynamoDB. This is the last time of a Date. */
const NEVER = 8_640_000_000_000_000;
const toTime = (stored: number): number => (stored >= NEVER ? Infinity : stored);
const fromTime = (time: number): number => Math.min(time, NEVER);

function toRow(item: Item): QueueRow {
  const [scheduleId, tick] = [textOrNull(item, "scheduleId"), textOrNull(item, "tick")];
  return {
    ...toQueuedPlan(item),
    ...toTimes(item),
    queuedAt: number(item, "queuedAt"),
    wakes: number(item, "wakes"),
    owner: textOrNull(item, "owner"),
    slot: item["slot"] === true,
    tick: scheduleId === null || tick === null ? null : { scheduleId, tick },
    version: number(item, "version"),
  };
}

export function toQueuedPlan(item: Item): QueuedPlan {
  return {
    runId: text(item, "runId"),
    tenantId: text(item, "tenantId"),
    projectId: text(item, "projectId"),
    planId: text(item, "planId"),
    planVersion: text(item, "planVersion"),
    logFormat: number(item, "logFormat"),
    priority: number(item, "priority"),
    concurrencyKey: textOrNull(item, "concurrencyKey"),
  };
}

export function toTimes(item: Item): QueueTimes {
  const actsAt = numberOrNull(item, "actsAt");
  return {
    availableAt: toTime(number(item, "availableAt")),
    isDelayed: item["isDelayed"] === true,
    startedAt: numberOrNull(item, "startedAt"),
    actsAt: actsAt === null ? null : toTime(actsAt),
  };
}

function fromRow(row: QueueRow): Item {
  const { queuedAt, wakes, owner, slot, tick } = row;
  const started = { scheduleId: tick?.scheduleId ?? null, tick: tick?.tick ?? null };
  return { ...propertiesOf(row), ...timesOf(row), queuedAt, wakes, owner, slot, ...started };
}

function propertiesOf(row: QueueRow): Item {
  const { runId, tenantId, projectId, planId, planVersion, logFormat, priority, concurrencyKey } = row;
  return { runId, tenantId, projectId, planId, planVersion, logFormat, priority, concurrencyKey };
}

function timesOf({ availableAt, isDelayed = false, startedAt, actsAt }: QueueRow): Item {
  const acts = actsAt === null ? null : fromTime(actsAt);
  return { availableAt: fromTime(availableAt), isDelayed, startedAt, actsAt: acts };
}

/**
 * Returns the writes that replace a row; `null` stands for no row. They fail if the row was changed since it was read. Index
 * items that stay as they are are not written.
 */
export async function writeRow(
  client: DynamoClient,
  before: QueueRow | null,
  after: QueueRow | null,
): Promise<readonly WriteAction[]> {
  if (after === null) return before === null ? [] : changes(before, null);
  const tick = after.tick === undefined ? await tickOf(client, after.runId) : after.tick;
  return changes(before, { ...after, tick });
}

function changes(before: QueueRow | null, after: QueueRow | null): WriteAction[] {
  const key = queueKey((before ?? after)!.runId);
  const when = before === null ? absent : equals({ version: before.version });
  const version = (before?.version ?? 0) + 1;
  const row: WriteAction =
    after === null
      ? { kind: "delete", key, when }
      : { kind: "put", item: { ...fromRow(after), ...key, version }, when };
  return [row, ...indexChanges(before === null ? [] : indexItems(before), after === null ? [] : indexItems(after))];
}

type IndexItem = Item & Key;

function indexChanges(before: readonly IndexItem[], after: readonly IndexItem[]): WriteAction[] {
  const isAt = (one: Key) => (other: Key) => one.pk === other.pk && one.sk === other.sk;
  const put = after.filter((item) => !isDeepStrictEqual(before.find(isAt(item)), item));
  const gone = before.filter((item) => !after.some(isAt(item)));
  return [
    ...put.map((item): WriteAction => ({ kind: "put", item })),
    ...gone.map(({ pk, sk }): WriteAction => ({ kind: "delete", key: { pk, sk } })),
  ];
}

function indexItems(row: QueueRow): IndexItem[] {
  const { runId, tenantId, tick, owner, slot } = row;
  const [tenant, plan, version, run] = [tenantId, row.planId, row.planVersion, runId].map(part) as Parts;
  const properties = propertiesOf(row);
  const items: IndexItem[] = [
    { pk: OPEN_RUNS, sk: runId, runId, tenantId },
    { pk: BY_PLAN, sk: joined(plan, version, timeKey(row.logFormat), tenant, run), ...properties },
  ];
  if (tick) items.push({ pk: openTicksPartition(tenantId, tick.scheduleId), sk: tick.tick, runId });
  if (row.startedAt === null)
    items.push({ pk: QUEUED, sk: joined(tenant, part(row.projectId), plan, run), ...properties });
  else if (row.concurrencyKey !== null)
    items.push({ pk: HOLDERS, sk: joined(tenant, part(row.concurrencyKey), run), ...properties });
  if (owner !== null) return [...items, { pk: OWNED, sk: joined(part(owner), run), ...properties, owner, slot }];
  const places = readyPlaces(row).map((sk) => ({ pk: READY, sk: joined(sk, run), ...properties, ...timesOf(row) }));
  return [...items, ...places];
}

type Parts = [string, string, string, string];

/** The places of a free run among the claimable ones: one for an operator, and one for its turn. */
function readyPlaces(row: QueueRow): string[] {
  const { actsAt } = row;
  const place = placeOf(row);
  return [
    ...(actsAt === null || actsAt === Infinity ? [] : [joined(ACTIONS, timeKey(actsAt))]),
    ...(place === null ? [] : [place]),
  ];
}

/** `null` if the run waits until it is woken. */
function placeOf(row: QueueRow): string | null {
  const { availableAt, startedAt, isDelayed = false, concurrencyKey } = row;
  if (startedAt !== null || isDelayed) return availableAt === Infinity ? null : joined(TIMERS, timeKey(availableAt));
  const order = [priorityKey(row.priority), timeKey(availableAt)];
  if (concurrencyKey !== null) return joined(KEYED, part(row.tenantId), part(concurrencyKey), ...order);
  const lane = [row.tenantId, row.planId, row.planVersion].map(part);
  return joined(LANES, ...lane, timeKey(row.logFormat), ...order);
}
