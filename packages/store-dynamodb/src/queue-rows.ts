/** Rows of the queue, and every write of one. */
import type { Counted, PlanRef } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals } from "./conditions.js";
import { json, number, type Item } from "./encoding.js";
import { getItems } from "./items.js";
import { queueKey } from "./table.js";

export interface QueueRow extends PlanRef, Counted {
  readonly runId: string;
  readonly logFormat: number;
  readonly priority: number;
  readonly queuedAt: number;
  /** `Infinity` if the run waits until it is woken. Meaningless while the run is owned. */
  readonly availableAt: number;
  readonly wakes: number;
  readonly owner: string | null;
  /** The time when it first got a slot. From then on it holds its concurrency key. `null` if it is queued. */
  readonly startedAt: number | null;
  /** `true` if it is owned and counts as running. */
  readonly slot: boolean;
  /** The time since which an operator's action waits for an answer. `null` if none does. */
  readonly actsAt: number | null;
  /** Incremented by every write, so that a write can require that nothing has changed. */
  readonly version: number;
}

export async function readRows(client: DynamoClient, runIds: readonly string[]): Promise<(QueueRow | null)[]> {
  const items = await getItems(client, runIds.map(queueKey));
  return items.map((item) => (item === null ? null : toRow(item)));
}

function toRow(item: Item): QueueRow {
  const row = json(item, "d") as QueueRow & { readonly availableAt: number | null };
  return { ...row, availableAt: row.availableAt ?? Infinity, version: number(item, "version") };
}

/** Actions that replace a row, if it is still the one that was read. */
export async function writeRow(
  _client: DynamoClient,
  before: QueueRow | null,
  after: QueueRow | null,
): Promise<readonly WriteAction[]> {
  const when = before === null ? absent : equals({ version: before.version });
  if (after === null) return before === null ? [] : [{ kind: "delete", key: queueKey(before.runId), when }];
  const { version: _, ...row } = after;
  const version = (before?.version ?? 0) + 1;
  return [{ kind: "put", item: { ...queueKey(after.runId), version, d: JSON.stringify(row) }, when }];
}
