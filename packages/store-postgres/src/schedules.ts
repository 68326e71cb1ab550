/** Schedules, and their ticks that have a run. The start of a run writes its tick itself (queue-start.ts). */
import {
  ScheduleChangedError,
  type ClaimedSchedule,
  type LastTick,
  type Schedule,
  type ScheduleDefinition,
  type ScheduledStart,
  type Schedules,
  type ScheduleTick,
} from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

const columns = "tenant_id, schedule_id, definition, paused_at, next_tick, due_at, waiting, last, epoch";

const get: Statement = {
  name: "schedule_get",
  text: `
SELECT clock_timestamp()::timestamptz(3), s.* FROM (SELECT 1) AS always
LEFT JOIN (SELECT ${columns} FROM runledger.schedules WHERE tenant_id = $1 AND schedule_id = $2) AS s ON true`,
};

const list: Statement = {
  name: "schedule_list",
  text: `
SELECT ${columns} FROM runledger.schedules WHERE tenant_id = $1 AND schedule_id > $2 ORDER BY schedule_id LIMIT $3`,
};

// Statements that lock a schedule return no definition. The server sends its rows before it commits, so a client that stalls
// while it receives a large answer would keep the lock.
const insert: Statement = {
  name: "schedule_insert",
  text: `
INSERT INTO runledger.schedules (tenant_id, schedule_id, definition, paused_at, next_tick, due_at, waiting, last)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING epoch`,
};

const update: Statement = {
  name: "schedule_update",
  text: `
UPDATE runledger.schedules SET definition = $3, paused_at = $4, next_tick = $5, due_at = $6, waiting = $7, last = $8,
  epoch = nextval('runledger.schedule_epochs')
WHERE tenant_id = $1 AND schedule_id = $2 AND epoch = $9 RETURNING epoch`,
};

const remove: Statement = {
  name: "schedule_remove",
  text: "DELETE FROM runledger.schedules WHERE tenant_id = $1 AND schedule_id = $2 RETURNING schedule_id",
};

/**
 * statement_timestamp() is constant within the statement, so an index can look it up: finding nothing due costs
 * nothing.
 */
const claim: Statement = {
  name: "schedule_claim",
  text: `
WITH due AS (
  SELECT tenant_id, schedule_id FROM runledger.schedules WHERE due_at <= statement_timestamp()
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
),
claimed AS (
  UPDATE runledger.schedules s SET epoch = nextval('runledger.schedule_epochs'),
    due_at = statement_timestamp() + $2 * interval '1 millisecond'
  FROM due WHERE s.tenant_id = due.tenant_id AND s.schedule_id = due.schedule_id
  RETURNING s.tenant_id, s.schedule_id, s.epoch, s.next_tick
)
SELECT statement_timestamp()::timestamptz(3),
  (SELECT due_at FROM runledger.schedules WHERE due_at > statement_timestamp() ORDER BY due_at LIMIT 1),
  c.tenant_id, c.schedule_id, c.epoch
FROM (SELECT 1) AS always LEFT JOIN claimed c ON true ORDER BY c.next_tick`,
};

const ticks: Statement = {
  name: "schedule_ticks",
  text: `
SELECT tick, run_id FROM runledger.schedule_ticks
WHERE tenant_id = $1 AND schedule_id = $2 AND tick >= $3 AND tick < $4 ORDER BY tick`,
};

/** A run is in the queue until it finishes. */
const open: Statement = {
  name: "schedule_open",
  text: `
SELECT t.tick, t.run_id FROM runledger.schedule_ticks t JOIN runledger.run_queue q ON q.run_id = t.run_id
WHERE t.tenant_id = $1 AND t.schedule_id = $2 ORDER BY t.tick`,
};

const ticked: Statement = {
  name: "schedule_ticked",
  text: "SELECT run_id FROM runledger.schedule_ticks WHERE tenant_id = $1 AND schedule_id = $2 AND tick = $3",
};

export function schedules(db: Database): Schedules {
  return {
    getSchedule: ({ tenantId, scheduleId }) => getSchedule(db, tenantId, scheduleId),
    listSchedules: async ({ tenantId, afterId = "", limit = 1000 }) =>
      (await db.read(list, [tenantId, afterId, limit])).map(toSchedule),
    saveSchedule: (schedule, readEpoch) => saveSchedule(db, schedule, readEpoch),
    removeSchedule: async ({ tenantId, scheduleId }) => (await db.write(remove, [tenantId, scheduleId])).length > 0,
    claimDue: ({ limit, holdMs }) => claimDue(db, limit, holdMs),
    listTicks: async ({ tenantId, scheduleId, from, to }) =>
      (await db.read(ticks, [tenantId, scheduleId, from, to])).map(toTick),
    openTicks: async ({ tenantId, scheduleId }) => (await db.read(open, [tenantId, scheduleId])).map(toTick),
  };
}

async function getSchedule(db: Database, tenantId: string, scheduleId: string) {
  const [now, ...row] = firstOf(await db.read(get, [tenantId, scheduleId]));
  return { now: now as string, schedule: row[0] === null ? null : toSchedule(row) };
}

async function saveSchedule(
  db: Database,
  schedule: Omit<Schedule, "epoch">,
  readEpoch: number | null,
): Promise<Schedule> {
  const { tenantId, scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last } = schedule;
  const name = [tenantId, scheduleId];
  const parts = [JSON.stringify(definition), pausedAt, nextTick, dueAt, waiting, last && JSON.stringify(last)];
  const [row] =
    readEpoch === null
      ? await db.write(insert, [...name, ...parts])
      : await db.write(update, [...name, ...parts, readEpoch]);
  if (row === undefined) throw new ScheduleChangedError(tenantId, scheduleId);
  return { tenantId, scheduleId, definition, pausedAt, nextTick, dueAt, waiting, last, epoch: row[0] as number };
}

async function claimDue(db: Database, limit: number, holdMs: number) {
  const rows = await db.write(claim, [limit, holdMs]);
  const [now, nextDueAt] = firstOf(rows);
  const claimed = rows.filter(([, , tenantId]) => tenantId !== null).map(toClaimed);
  return { now: now as string, nextDueAt: nextDueAt as string | null, schedules: claimed };
}

function toClaimed([, , tenantId, scheduleId, epoch]: Row): ClaimedSchedule {
  return { tenantId: tenantId as string, scheduleId: scheduleId as string, epoch: epoch as number };
}

function toSchedule([
  tenantId,
  scheduleId,
  definition,
  pausedAt,
  nextTick,
  dueAt,
  waiting,
  last,
  epoch,
]: Row): Schedule {
  return {
    tenantId: tenantId as string,
    scheduleId: scheduleId as string,
    definition: definition as ScheduleDefinition,
    pausedAt: pausedAt as string | null,
    nextTick: nextTick as string | null,
    dueAt: dueAt as string | null,
    waiting: waiting as boolean,
    last: last as LastTick | null,
    epoch: epoch as number,
  };
}

function toTick([tick, runId]: Row): ScheduleTick {
  return { tick: tick as string, runId: runId as string };
}

export async function runOfTick(db: Database, tenantId: string, { scheduleId, tick }: ScheduledStart): Promise<string> {
  return firstOf(await db.read(ticked, [tenantId, scheduleId, tick]))[0] as string;
}
