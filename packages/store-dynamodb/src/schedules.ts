/** Schedules, and their ticks that have a run. The start of a run writes its tick itself (queue-start.ts). */
import {
  ScheduleChangedError,
  type Schedule,
  type ScheduleName,
  type Schedules,
  type ScheduleTick,
} from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import { absent, equals } from "./conditions.js";
import type { Db } from "./db.js";
import { following, nextNumber, tryTransact, untilCurrent } from "./documents.js";
import { json, numberOrNull, text, textOrNull, type Item } from "./encoding.js";
import { getItem, LAST, queryAll } from "./items.js";
import { joined, openTicksPartition, part, timeKey } from "./queue-keys.js";
import { ticksPartition } from "./start-keys.js";
import type { Key } from "./table.js";

const partitionOf = (tenantId: string): string => `SCHEDULE#of#${tenantId}`;
export const scheduleKey = ({ tenantId, scheduleId }: ScheduleName): Key => ({
  pk: partitionOf(tenantId),
  sk: scheduleId,
});

/** Schedules with a due time, by it. */
const DUE = "SCHEDULE#due";
const dueKey = ({ tenantId, scheduleId }: ScheduleName, dueAt: string): Key => ({
  pk: DUE,
  sk: joined(timeKey(Date.parse(dueAt)), part(tenantId), part(scheduleId)),
});

export function schedules({ client }: Db): Schedules {
  return {
    getSchedule: async (name) => {
      const item = await getItem(client, scheduleKey(name));
      return { now: iso(client.clock.now()), schedule: item === null ? null : toSchedule(item) };
    },
    listSchedules: async ({ tenantId, afterId = "", limit = 1000 }) => {
      const from = afterId === "" ? "" : following(afterId);
      return (await queryAll(client, { pk: partitionOf(tenantId), from, to: LAST, limit })).map(toSchedule);
    },
    saveSchedule: (schedule, readEpoch) => saveSchedule(client, schedule, readEpoch),
    removeSchedule: (name) => removeSchedule(client, name),
    claimDue: ({ limit, holdMs }) => claimDue(client, limit, holdMs),
    listTicks: async ({ from, to, ...name }) =>
      (await ticksOf(client, ticksPartition(name.tenantId, name.scheduleId), from, to)).filter(({ tick }) => tick < to),
    openTicks: ({ tenantId, scheduleId }) => ticksOf(client, openTicksPartition(tenantId, scheduleId)),
  };
}

function toSchedule(item: Item): Schedule {
  return {
    ...(json(item, "d") as Omit<Schedule, "epoch" | "dueAt">),
    dueAt: textOrNull(item, "dueAt"),
    epoch: item["epoch"] as number,
  };
}

export async function epochOf(client: DynamoClient, key: Key): Promise<number | null> {
  const item = await getItem(client, key);
  return item === null ? null : numberOrNull(item, "epoch");
}

async function ticksOf(client: DynamoClient, pk: string, from = "", to = LAST): Promise<ScheduleTick[]> {
  const items = await queryAll(client, { pk, from, to });
  return items.map((item) => ({ tick: text(item, "sk"), runId: text(item, "runId") }));
}

/** Replaces a schedule under a new epoch, and its place among the due ones. */
function writeSchedule(before: Item | null, schedule: Omit<Schedule, "epoch">, epoch: number): WriteAction[] {
  const { dueAt, ...rest } = schedule;
  const key = scheduleKey(schedule);
  const when = before === null ? absent : equals({ epoch: before["epoch"]! });
  const dueBefore = before === null ? null : textOrNull(before, "dueAt");
  const { tenantId, scheduleId } = schedule;
  return [
    { kind: "put", item: { ...key, d: JSON.stringify(rest), dueAt, epoch }, when },
    ...(dueBefore === null || dueBefore === dueAt
      ? []
      : [{ kind: "delete", key: dueKey(schedule, dueBefore) } as const]),
    ...(dueAt === null
      ? []
      : [{ kind: "put", item: { ...dueKey(schedule, dueAt), tenantId, scheduleId, dueAt } } as const]),
  ];
}

async function saveSchedule(
  client: DynamoClient,
  schedule: Omit<Schedule, "epoch">,
  readEpoch: number | null,
): Promise<Schedule> {
  const { tenantId, scheduleId } = schedule;
  const before = await getItem(client, scheduleKey(schedule));
  const isCurrent = (before === null ? null : numberOrNull(before, "epoch")) === readEpoch;
  const epoch = isCurrent ? await nextNumber(client, "schedule-epochs") : 0;
  const { tenantId: _, ...fields } = pick(schedule);
  if (!isCurrent || !(await tryTransact(client, writeSchedule(before, { tenantId, ...fields }, epoch))))
    throw new ScheduleChangedError(tenantId, scheduleId);
  return { ...pick(schedule), epoch };
}

function pick({ tenantId, scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last }: Omit<Schedule, "epoch">) {
  return { tenantId, scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last };
}

function removeSchedule(client: DynamoClient, name: ScheduleName): Promise<boolean> {
  return untilCurrent(async () => {
    const item = await getItem(client, scheduleKey(name));
    if (item === null) return false;
    const dueAt = textOrNull(item, "dueAt");
    const removed: WriteAction = { kind: "delete", key: scheduleKey(name), when: equals({ epoch: item["epoch"]! }) };
    const due: WriteAction[] = dueAt === null ? [] : [{ kind: "delete", key: dueKey(name, dueAt) }];
    return (await tryTransact(client, [removed, ...due])) || undefined;
  });
}

/** A schedule that another process is claiming is skipped. One request if nothing is due. */
async function claimDue(client: DynamoClient, limit: number, holdMs: number) {
  const now = client.clock.now();
  const first = await queryAll(client, { pk: DUE, limit: limit + 1 });
  const due = first.filter((item) => isDue(item, now)).slice(0, limit);
  const claimed = [];
  for (const item of due) {
    const name = { tenantId: text(item, "tenantId"), scheduleId: text(item, "scheduleId") };
    const epoch = await claimOne(client, name, dueAtOf(item), iso(now + holdMs));
    if (epoch !== null) claimed.push({ ...name, epoch });
  }
  const next =
    due.length === 0 ? first : await queryAll(client, { pk: DUE, from: `${timeKey(now)}${LAST}`, to: LAST, limit: 1 });
  const later = next.find((item) => !isDue(item, now));
  return { now: iso(now), schedules: claimed, nextDueAt: later === undefined ? null : dueAtOf(later) };
}

const dueAtOf = (item: Item): string => text(item, "dueAt");
const isDue = (item: Item, now: number): boolean => Date.parse(dueAtOf(item)) <= now;

async function claimOne(
  client: DynamoClient,
  name: ScheduleName,
  dueAt: string,
  until: string,
): Promise<number | null> {
  const item = await getItem(client, scheduleKey(name));
  if (item === null || textOrNull(item, "dueAt") !== dueAt) return null;
  const epoch = await nextNumber(client, "schedule-epochs");
  const { epoch: _, ...schedule } = toSchedule(item);
  return (await tryTransact(client, writeSchedule(item, { ...schedule, dueAt: until }, epoch))) ? epoch : null;
}
