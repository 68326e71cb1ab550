import type { DeadLetter, DeadLetterName, OutboxStore } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { following, listDocuments, readDocument, tryTransact, untilCurrent } from "./documents.js";
import { text } from "./encoding.js";
import { LAST, queryAll } from "./items.js";
import {
  deadPartition,
  readDeliveries,
  SUBSCRIPTIONS,
  subscriptionKey,
  writeDelivery,
  type DeliveryRow,
  type SubscriptionRow,
} from "./outbox-items.js";
import { compareIds } from "./heads.js";
import { part, prefixOf } from "./queue-keys.js";

type DeadLetters = Pick<OutboxStore, "listDeadLetters" | "redriveDeadLetter" | "dropDeadLetter">;
type Page = Parameters<OutboxStore["listDeadLetters"]>[0];

export function deadLetters({ client }: Db): DeadLetters {
  return {
    listDeadLetters: (page) => listDeadLetters(client, page),
    redriveDeadLetter: (name) => release(client, name, (row) => row.deliveredSeq),
    dropDeadLetter: (name) => release(client, name, (row) => row.deliveredSeq + 1),
  };
}

async function listDeadLetters(client: DynamoClient, page: Page): Promise<DeadLetter[]> {
  const { tenantId, subscriptionId, after, limit = 100 } = page;
  const selects = (row: SubscriptionRow): boolean =>
    (subscriptionId === undefined || row.subscriptionId === subscriptionId) &&
    (after === undefined || compareIds(row.subscriptionId, after.subscriptionId) >= 0);
  const own = { pk: SUBSCRIPTIONS, prefix: prefixOf(part(tenantId)), limit: Infinity, selects };
  const found: DeadLetter[] = [];
  for (const row of await listDocuments<SubscriptionRow>(client, own)) {
    found.push(...(await lettersOf(client, row, page, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

async function lettersOf(client: DynamoClient, row: SubscriptionRow, page: Page, limit: number): Promise<DeadLetter[]> {
  const { runId: only, after } = page;
  const { tenantId, subscriptionId, number } = row;
  const start = after?.subscriptionId === subscriptionId ? following(after.runId) : "";
  if (only !== undefined && start > only) return [];
  const range = only === undefined ? { from: start, to: LAST } : { from: only, to: only };
  const items = await queryAll(client, { pk: deadPartition(number), ...range, limit });
  const rows = await readDeliveries(
    client,
    number,
    items.map((item) => text(item, "runId")),
  );
  return rows.flatMap((stored) => {
    if (stored === null || stored.row.deadAt === null) return [];
    const { deliveredSeq, deadAt, attempts, error } = stored.row;
    const place = { tenantId, subscriptionId, runId: stored.runId, runSeq: deliveredSeq + 1 };
    return [{ ...place, deadAt: iso(deadAt), attempts, error: error ?? "" }];
  });
}

/** Attempts again from a watermark, now. */
export function release(
  client: DynamoClient,
  name: DeadLetterName,
  watermark: (row: DeliveryRow) => number,
): Promise<boolean> {
  return untilCurrent(async () => {
    const subscription = await readDocument<SubscriptionRow>(client, subscriptionKey(name));
    if (subscription === null) return false;
    const { number } = subscription.value;
    const [before = null] = await readDeliveries(client, number, [name.runId]);
    if (before === null || before.row.deadAt === null) return false;
    const after = {
      ...before.row,
      deliveredSeq: watermark(before.row),
      deadAt: null,
      attempts: 0,
      dueAt: client.clock.now(),
    };
    return (await tryTransact(client, writeDelivery(number, name.runId, before, after))) || undefined;
  });
}
