/** Reads of items. All of them see everything that was committed before they started. */
import { setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { Expressions } from "./conditions.js";
import type { WireItem } from "./driver.js";
import { fromWire, toWire, type Item } from "./encoding.js";
import type { Key } from "./table.js";

const CONSISTENT = { ConsistentRead: true };

export async function getItem(client: DynamoClient, { pk, sk }: Key): Promise<Item | null> {
  const input = { TableName: client.table, Key: toWire({ pk, sk }), ...CONSISTENT };
  const { Item: wire } = await client.read("GetItem", input);
  return wire === undefined ? null : fromWire(wire as WireItem);
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** Returns the items of these keys in the same order, `null` for absent ones. Not one moment for all of them. */
export async function getItems(client: DynamoClient, keys: readonly Key[]): Promise<(Item | null)[]> {
  const unique = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  const pages = chunked(unique, 100).map((page) => getPage(client, page));
  const found = new Map((await Promise.all(pages)).flat().map((item) => [nameOf(item as unknown as Key), item]));
  return keys.map((key) => found.get(nameOf(key)) ?? null);
}

const BATCH_TRIES = 50;

/** The service answers with a part if the items are large or it is throttled; the rest is requested again. */
async function getPage(client: DynamoClient, keys: readonly Key[]): Promise<Item[]> {
  let Keys: unknown = keys.map(({ pk, sk }) => toWire({ pk, sk }));
  const found: Item[] = [];
  for (let tries = 0; tries < BATCH_TRIES; tries++) {
    const input = { RequestItems: { [client.table]: { Keys, ...CONSISTENT } } };
    const { Responses, UnprocessedKeys } = await client.read("BatchGetItem", input);
    const items = (Responses as Record<string, WireItem[]> | undefined)?.[client.table] ?? [];
    for (const item of items) found.push(fromWire(item));
    const left = (UnprocessedKeys as Record<string, { Keys: unknown }> | undefined)?.[client.table];
    if (left === undefined) return found;
    if (items.length === 0) await sleep(Math.random() * 20 * (tries + 1));
    Keys = left.Keys;
  }
  throw new RetryError("STORE_BUSY", "DynamoDB is busy and answers only parts of a read. Try again.");
}

/** Returns the items of at most 100 keys read in one transaction, in the same order. */
export async function getTogether(client: DynamoClient, keys: readonly Key[]): Promise<(Item | null)[]> {
  const TransactItems = keys.map(({ pk, sk }) => ({ Get: { TableName: client.table, Key: toWire({ pk, sk }) } }));
  const { Responses } = await client.read("TransactGetItems", { TransactItems });
  const items = Responses as readonly { readonly Item?: WireItem }[];
  return items.map(({ Item: wire }) => (wire === undefined ? null : fromWire(wire)));
}

export interface Range {
  readonly pk: string;
  /** Inclusive. */
  readonly from?: string;
  /** Inclusive. */
  readonly to?: string;
  readonly prefix?: string;
  readonly descending?: boolean;
  readonly limit?: number;
  /** Returns only these attributes. */
  readonly only?: readonly string[];
}

/** Above every sort key that starts with the same text. */
export const LAST = "\u{10ffff}";

/** Returns the items of a partition in the order of `sk`, all of them or at most `limit`. */
export async function queryAll(client: DynamoClient, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(client, range)) {
    items.push(...page);
    if (range.limit !== undefined && items.length >= range.limit) return items.slice(0, range.limit);
  }
  return items;
}

/** Yields pages of at most 1 MB. `limit` bounds each page. */
export async function* queryPages(client: DynamoClient, range: Range): AsyncGenerator<Item[]> {
  let next: object = {};
  for (;;) {
    const { Items, LastEvaluatedKey } = await client.read("Query", { ...toQuery(client.table, range), ...next });
    yield (Items as WireItem[]).map(fromWire);
    if (LastEvaluatedKey === undefined) return;
    next = { ExclusiveStartKey: LastEvaluatedKey };
  }
}

function toQuery(TableName: string, range: Range): object {
  const { pk, prefix = "", from = prefix, to = `${prefix}${LAST}`, descending = false, limit, only } = range;
  const expressions = new Expressions();
  const partition = `${expressions.name("pk")} = ${expressions.value(pk)}`;
  const least = from === "" ? "" : ` AND ${expressions.name("sk")} BETWEEN ${expressions.value(from)} AND `;
  const most = from === "" ? ` AND ${expressions.name("sk")} <= ${expressions.value(to)}` : expressions.value(to);
  const names = only?.map((name) => expressions.name(name)).join(", ");
  return {
    TableName,
    KeyConditionExpression: partition + least + most,
    ...(names === undefined ? {} : { ProjectionExpression: names }),
    ...expressions.parts(),
    ScanIndexForward: !descending,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...CONSISTENT,
  };
}

/** Deletes items in any number. Not atomic; safe to repeat. */
export async function deleteItems(client: DynamoClient, keys: readonly Key[]): Promise<void> {
  const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: toWire({ pk, sk }) } }));
  await writeBatches(client, requests);
}

/** Puts items in any number, regardless of stored ones. Not atomic; safe to repeat. */
export async function putItems(client: DynamoClient, items: readonly (Item & Key)[]): Promise<void> {
  await writeBatches(
    client,
    items.map((item) => ({ PutRequest: { Item: toWire(item) } })),
  );
}

async function writeBatches(client: DynamoClient, requests: readonly object[]): Promise<void> {
  for (const page of chunked(requests, 25)) await writeBatch(client, page);
}

async function writeBatch(client: DynamoClient, requests: readonly object[]): Promise<void> {
  let left: unknown = requests;
  for (let tries = 0; tries < BATCH_TRIES; tries++) {
    const { UnprocessedItems } = await client.read("BatchWriteItem", { RequestItems: { [client.table]: left } });
    left = (UnprocessedItems as Record<string, unknown> | undefined)?.[client.table];
    if (left === undefined) return;
    await sleep(Math.random() * 20 * (tries + 1));
  }
  throw new RetryError("STORE_BUSY", "DynamoDB is busy and takes only parts of a write. Try again.");
}

export function chunked<T>(values: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < values.length; start += size) chunks.push(values.slice(start, start + size));
  return chunks;
}
