/** Triggers, their counters and their last errors. */
import {
  MAX_REJECTIONS,
  type RejectedEvent,
  type Trigger,
  type TriggerDefinition,
  type TriggerName,
  type TriggerStore,
} from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";

const columns = `tenant_id, trigger_id, definition, version, starts_at, created_at, paused_at, started, repeated, skipped,
  rejected, last_event_at, last_run_id, failures, last_error, last_error_at, rejections`;

const create: Statement = {
  name: "trigger_create",
  text: `
INSERT INTO runledger.triggers (tenant_id, trigger_id, definition, starts_at)
VALUES ($1, $2, $3, CASE WHEN $4 THEN clock_timestamp() ELSE $5::timestamptz END) ON CONFLICT DO NOTHING RETURNING ${columns}`,
};

const get: Statement = {
  name: "trigger_get",
  text: `SELECT ${columns} FROM runledger.triggers WHERE tenant_id = $1 AND trigger_id = $2`,
};

const list: Statement = {
  name: "trigger_list",
  text: `
SELECT ${columns} FROM runledger.triggers WHERE tenant_id = $1 AND trigger_id > $2 ORDER BY trigger_id LIMIT $3`,
};

const active: Statement = {
  name: "trigger_active",
  text: `
SELECT ${columns} FROM runledger.triggers
WHERE (tenant_id, trigger_id) > ($1, $2) AND paused_at IS NULL AND definition #>> '{source,type}' = ANY ($3::text[])
ORDER BY tenant_id, trigger_id LIMIT $4`,
};

const change: Statement = {
  name: "trigger_change",
  text: `
UPDATE runledger.triggers SET definition = $3, version = version + 1, failures = 0
WHERE tenant_id = $1 AND trigger_id = $2 RETURNING ${columns}`,
};

const pause: Statement = {
  name: "trigger_pause",
  text: `
UPDATE runledger.triggers SET paused_at = CASE WHEN $3 THEN coalesce(paused_at, clock_timestamp()) END, failures = 0
WHERE tenant_id = $1 AND trigger_id = $2 RETURNING ${columns}`,
};

const remove: Statement = {
  name: "trigger_remove",
  text: "DELETE FROM runledger.triggers WHERE tenant_id = $1 AND trigger_id = $2 RETURNING 1",
};

/** `$8` has the new rejections. An earlier one of the same event is replaced. */
const reportEvents: Statement = {
  name: "trigger_report_events",
  text: `
UPDATE runledger.triggers AS t SET started = started + $3, repeated = repeated + $4, skipped = skipped + $5,
  rejected = rejected + $6, last_event_at = clock_timestamp(), last_run_id = coalesce($7, last_run_id),
  last_error = coalesce($8::jsonb #>> '{0,message}', last_error),
  last_error_at = CASE WHEN $8::jsonb = '[]' THEN last_error_at ELSE clock_timestamp() END,
  rejections = CASE WHEN $8::jsonb = '[]' THEN rejections ELSE (
    SELECT jsonb_agg(entry ORDER BY is_old, place) FROM (
      SELECT * FROM (
        SELECT entry || jsonb_build_object('at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS entry,
          place, false AS is_old
        FROM jsonb_array_elements($8::jsonb) WITH ORDINALITY AS fresh (entry, place)
        UNION ALL
        SELECT entry, place, true FROM jsonb_array_elements(t.rejections) WITH ORDINALITY AS old (entry, place)
        WHERE NOT EXISTS (
          SELECT FROM jsonb_array_elements($8::jsonb) AS fresh (entry)
          WHERE fresh.entry -> 'eventId' = old.entry -> 'eventId'
            AND (old.entry ->> 'eventId' IS NOT NULL OR fresh.entry -> 'position' = old.entry -> 'position')
        )
      ) AS merged ORDER BY is_old, place LIMIT ${MAX_REJECTIONS}
    ) AS kept
  ) END
WHERE tenant_id = $1 AND trigger_id = $2`,
};

const reportSource: Statement = {
  name: "trigger_report_source",
  text: `
UPDATE runledger.triggers SET failures = CASE WHEN $3::text IS NULL THEN 0 ELSE failures + 1 END,
  last_error = coalesce($3, last_error),
  last_error_at = CASE WHEN $3::text IS NULL THEN last_error_at ELSE clock_timestamp() END
WHERE tenant_id = $1 AND trigger_id = $2`,
};

export function triggers(db: Database): TriggerStore {
  const changed = async (statement: Statement, { tenantId, triggerId }: TriggerName, ...rest: unknown[]) => {
    const [row] = await db.write(statement, [tenantId, triggerId, ...rest]);
    return row === undefined ? null : toTrigger(row);
  };
  return {
    createTrigger: ({ definition, startsAt, ...name }) => {
      const isNow = startsAt === "now";
      return changed(create, name, JSON.stringify(definition), isNow, isNow ? null : startsAt);
    },
    getTrigger: async ({ tenantId, triggerId }) => {
      const [row] = await db.read(get, [tenantId, triggerId]);
      return row === undefined ? null : toTrigger(row);
    },
    listTriggers: async ({ tenantId, afterId = "", limit = 1000 }) =>
      (await db.read(list, [tenantId, afterId, limit])).map(toTrigger),
    listActive: async ({ types, after, limit = 1000 }) =>
      (await db.read(active, [after?.tenantId ?? "", after?.triggerId ?? "", types, limit])).map(toTrigger),
    changeTrigger: (name, definition) => changed(change, name, JSON.stringify(definition)),
    pauseTrigger: (name, isPaused) => changed(pause, name, isPaused),
    removeTrigger: async ({ tenantId, triggerId }) => (await db.write(remove, [tenantId, triggerId])).length > 0,
    reportEvents: async ({ tenantId, triggerId }, report) => {
      const { started = 0, repeated = 0, skipped = 0, rejected = 0, lastRunId = null, rejections = [] } = report;
      const counts = [started, repeated, skipped, rejected];
      await db.write(reportEvents, [tenantId, triggerId, ...counts, lastRunId, JSON.stringify(rejections)]);
    },
    reportSource: async ({ tenantId, triggerId }, error) =>
      void (await db.write(reportSource, [tenantId, triggerId, error])),
  };
}

function toTrigger(row: Row): Trigger {
  const [tenantId, triggerId, definition, version, startsAt, createdAt, pausedAt] = row;
  const [started, repeated, skipped, rejected, lastEventAt, lastRunId, failures] = row.slice(7);
  const [message, at, rejections] = row.slice(14);
  return {
    tenantId: tenantId as string,
    triggerId: triggerId as string,
    definition: definition as TriggerDefinition,
    version: version as number,
    startsAt: startsAt as string | null,
    createdAt: createdAt as string,
    pausedAt: pausedAt as string | null,
    started: started as number,
    repeated: repeated as number,
    skipped: skipped as number,
    rejected: rejected as number,
    lastEventAt: lastEventAt as string | null,
    lastRunId: lastRunId as string | null,
    failures: failures as number,
    lastError: message === null ? null : { at: at as string, message: message as string },
    rejections: rejections as readonly RejectedEvent[],
  };
}
