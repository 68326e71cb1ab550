/** Limits: data that claims and starts read. Changing a limit waits for claims and starts that use the old one. */
import type { Limit, LimitScope, Limits, LimitTarget } from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

/** Excludes claims, starts and new lanes: each of them locks the table in ROW SHARE mode. */
const lockLimits: Statement = { name: "limits_lock", text: "LOCK TABLE runledger.limits IN EXCLUSIVE MODE" };

const set: Statement = {
  name: "limits_set",
  text: `
INSERT INTO runledger.limits (scope, subject, max_running, rate_starts, rate_ms, max_queued, priority)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (scope, subject) DO UPDATE SET max_running = EXCLUDED.max_running, rate_starts = EXCLUDED.rate_starts,
  rate_ms = EXCLUDED.rate_ms, max_queued = EXCLUDED.max_queued, priority = EXCLUDED.priority`,
};

const remove: Statement = {
  name: "limits_remove",
  text: "DELETE FROM runledger.limits WHERE scope = $1 AND subject = $2 RETURNING scope",
};

/** Resets reserved places, which are then counted again, and updates the priorities of lanes. */
const recount: Statement = {
  name: "limits_recount",
  text: "DELETE FROM runledger.limit_places WHERE scope = $1 AND $2 IN (subject, '*')",
};
const reorder: Statement = {
  name: "limits_reorder",
  text: `
UPDATE runledger.queue_lanes SET tenant_priority = runledger.limit_priority('tenant', tenant_id),
  priority = runledger.limit_priority('project', tenant_id || '|' || project_id) +
    runledger.limit_priority('workflow', plan_id)
WHERE tenant_priority <> runledger.limit_priority('tenant', tenant_id) OR
  priority <> runledger.limit_priority('project', tenant_id || '|' || project_id) +
    runledger.limit_priority('workflow', plan_id)`,
};

const list: Statement = {
  name: "limits_list",
  text: `
SELECT scope, subject, max_running, rate_starts, rate_ms, max_queued, priority FROM runledger.limits
ORDER BY scope, subject`,
};

/** Recent starts of runs per second. `null` if none started. */
export const drainText = (scope: string, subject: string): string => `(
  SELECT (m.starts / greatest(1, extract(epoch FROM clock_timestamp() - m.since)))::double precision
  FROM runledger.limit_meters m WHERE m.scope = ${scope} AND m.subject = ${subject}
)`;

const drain: Statement = { name: "limits_drain", text: `SELECT ${drainText("$1", "$2")}` };

export function limits(db: Database): Limits {
  return {
    setLimit: (limit) => setLimit(db, limit),
    removeLimit: (target) => removeLimit(db, target),
    listLimits: async () => (await db.read(list)).map(toLimit),
  };
}

async function setLimit(db: Database, limit: Limit): Promise<void> {
  const { scope, subject, maxRunning, rate, maxQueued, priority } = limit;
  await db.transaction(async ({ run }) => {
    await run(lockLimits);
    await run(set, [scope, subject, maxRunning, rate?.starts ?? null, rate?.perMs ?? null, maxQueued, priority]);
    await run(recount, [scope, subject]);
    await run(reorder);
  });
}

async function removeLimit(db: Database, { scope, subject }: LimitTarget): Promise<boolean> {
  return db.transaction(async ({ run }) => {
    await run(lockLimits);
    const removed = await run(remove, [scope, subject]);
    await run(recount, [scope, subject]);
    await run(reorder);
    return removed.length > 0;
  });
}

export async function drainOf(db: Database, { scope, subject }: LimitTarget): Promise<number | null> {
  return firstOf(await db.read(drain, [scope, subject]))[0] as number | null;
}

function toLimit([scope, subject, maxRunning, rateStarts, rateMs, maxQueued, priority]: Row): Limit {
  return {
    scope: scope as LimitScope,
    subject: subject as string,
    maxRunning: maxRunning as number | null,
    rate: rateStarts === null ? null : { starts: rateStarts as number, perMs: rateMs as number },
    maxQueued: maxQueued as number | null,
    priority: priority as number | null,
  };
}
