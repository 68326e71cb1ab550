import { EVERY, policyFor, type Purged, type RetentionKind } from "@runledger/contracts";
import { rowsOf } from "./outbox-tables.js";
import type { Tables } from "./tables.js";

/** Applies the policies on start keys, dead letters and the feed. */
export function purge(tables: Tables, limit: number): Purged {
  return {
    startKeys: purgeStartKeys(tables, limit),
    deadLetters: purgeDeadLetters(tables, limit),
    followers: 0, // no follower outlives the process
  };
}

/** Returns the time before which data is deleted; `-Infinity` without a policy. */
function boundOf(tables: Tables, kind: RetentionKind, tenantId: string): number {
  const policies = [...tables.retention.policies.values()];
  const ms = policyFor(policies, kind, { tenantId, workflowId: EVERY })?.deleteAfterMs ?? Infinity;
  return tables.now() - ms;
}

function purgeStartKeys(tables: Tables, limit: number): number {
  const { deleted } = tables.retention;
  const due = [...deleted]
    .filter(([, { tenantId, at }]) => at < boundOf(tables, "startKeys", tenantId))
    .slice(0, limit);
  const runs = new Set(due.map(([runId]) => runId));
  for (const runId of runs) deleted.delete(runId);
  for (const ticks of tables.schedules.ticks.values())
    for (const [tick, runId] of ticks) if (runs.has(runId)) ticks.delete(tick);
  const keys = [...tables.starts].filter(([, { runId }]) => runs.has(runId));
  for (const [key] of keys) tables.starts.delete(key);
  return keys.length;
}

function purgeDeadLetters(tables: Tables, limit: number): number {
  let dropped = 0;
  for (const { tenantId, number } of tables.outbox.subscriptions.values()) {
    const before = boundOf(tables, "deadLetters", tenantId);
    const rows = rowsOf(tables, number);
    for (const [runId, row] of rows) {
      if (row.deadAt === null || row.deadAt >= before || dropped >= limit) continue;
      const deliveredSeq = row.deliveredSeq + 1;
      rows.set(runId, { ...row, deliveredSeq, deadAt: null, attempts: 0, dueAt: tables.now() });
      dropped++;
    }
  }
  return dropped;
}
