import type { DeadLetter, DeadLetterName, OutboxStore } from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { iso, keyOf, rowsOf, type DeliveryRow, type SubscriptionRow } from "./outbox-tables.js";
import type { Tables } from "./tables.js";

type DeadLetters = Pick<OutboxStore, "listDeadLetters" | "redriveDeadLetter" | "dropDeadLetter">;

export function deadLetters(tables: Tables): DeadLetters {
  return {
    listDeadLetters: async ({ tenantId, subscriptionId, runId, after, limit = 100 }) =>
      [...tables.outbox.subscriptions.values()]
        .filter((row) => row.tenantId === tenantId)
        .filter((row) => subscriptionId === undefined || row.subscriptionId === subscriptionId)
        .flatMap((row) => lettersOf(tables, row))
        .filter((letter) => runId === undefined || letter.runId === runId)
        .sort(compare)
        .filter((letter) => after === undefined || compare(letter, after) > 0)
        .slice(0, limit),
    redriveDeadLetter: async (name) => release(tables, name, (row) => row.deliveredSeq),
    dropDeadLetter: async (name) => release(tables, name, (row) => row.deliveredSeq + 1),
  };
}

type Place = Pick<DeadLetter, "subscriptionId" | "runId">;

const compare = (a: Place, b: Place): number =>
  compareIds(a.subscriptionId, b.subscriptionId) || compareIds(a.runId, b.runId);

function lettersOf(tables: Tables, { tenantId, subscriptionId, number }: SubscriptionRow): DeadLetter[] {
  return [...rowsOf(tables, number)].flatMap(([runId, { deadAt, deliveredSeq, attempts, error }]) => {
    if (deadAt === null) return [];
    const place = { tenantId, subscriptionId, runId, runSeq: deliveredSeq + 1 };
    return [{ ...place, deadAt: iso(deadAt), attempts, error: error ?? "" }];
  });
}

function release(tables: Tables, name: DeadLetterName, watermark: (row: DeliveryRow) => number): boolean {
  const subscription = tables.outbox.subscriptions.get(keyOf(name));
  const rows = subscription === undefined ? undefined : rowsOf(tables, subscription.number);
  const row = rows?.get(name.runId);
  if (row === undefined || row.deadAt === null) return false;
  const now = tables.now();
  rows!.set(name.runId, { ...row, deliveredSeq: watermark(row), deadAt: null, attempts: 0, dueAt: now });
  return true;
}
