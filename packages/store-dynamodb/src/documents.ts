/** Small records that are read and replaced as a whole: JSON in one item, with a revision that every change increments. */
import { setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals, present } from "./conditions.js";
import { number, text, type Item } from "./encoding.js";
import { Cancelled } from "./errors.js";
import { getItem, LAST, queryPages } from "./items.js";
import type { Key } from "./table.js";

export interface Stored<T> {
  readonly value: T;
  readonly revision: number;
}

function toStored<T>(item: Item): Stored<T> {
  return { value: JSON.parse(text(item, "d")) as T, revision: number(item, "revision") };
}

/** `more` are attributes beside the value. */
export function newDocument(key: Key, value: unknown, more: Item = {}): WriteAction {
  return { kind: "put", item: { ...more, ...key, d: JSON.stringify(value), revision: 1 }, when: absent };
}

export function changedDocument(key: Key, value: unknown, revision: number, more: Item = {}): WriteAction {
  const item = { ...more, ...key, d: JSON.stringify(value), revision: revision + 1 };
  return { kind: "put", item, when: equals({ revision }) };
}

export async function readDocument<T>(client: DynamoClient, key: Key): Promise<Stored<T> | null> {
  const item = await getItem(client, key);
  return item === null ? null : toStored<T>(item);
}

/** Runs a transaction. Returns `false` if a condition failed, and nothing was written. */
export async function tryTransact(client: DynamoClient, actions: readonly WriteAction[]): Promise<boolean> {
  try {
    await client.transact(actions);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

const TRIES = 200;

/**
 * Repeats an attempt that found its reads outdated. `undefined` asks for another attempt. Attempts are spread, so that
 * callers in conflict get through one after the other.
 */
export async function untilCurrent<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * Math.min(100, 4 * tries));
  }
  throw new RetryError("STORE_BUSY", "Other processes changed the same items during every attempt. Try again.");
}

/** Replaces a document. `null` if there is none. */
export function changeDocument<T>(
  client: DynamoClient,
  key: Key,
  change: (value: T) => T,
  more: (value: T) => Item = () => ({}),
): Promise<T | null> {
  return untilCurrent(async () => {
    const stored = await readDocument<T>(client, key);
    if (stored === null) return null;
    const value = change(stored.value);
    const isDone = await tryTransact(client, [changedDocument(key, value, stored.revision, more(value))]);
    return isDone ? value : undefined;
  });
}

/** Returns `false` if there was no such document. */
export function removeDocument(client: DynamoClient, key: Key): Promise<boolean> {
  return tryTransact(client, [{ kind: "delete", key, when: present }]);
}

export interface DocumentPage<T> {
  readonly pk: string;
  /** Exclusive. */
  readonly after?: string;
  readonly prefix?: string;
  readonly limit: number;
  readonly selects?: (value: T) => boolean;
}

/** The smallest sort key after this one. */
export const following = (sk: string): string => `${sk}\u0001`;

/** Lists documents in the order of their sort keys. */
export async function listDocuments<T>(client: DynamoClient, page: DocumentPage<T>): Promise<T[]> {
  const { pk, after = "", prefix = "", limit, selects = () => true } = page;
  const from = after === "" ? prefix : following(after);
  const found: T[] = [];
  for await (const items of queryPages(client, { pk, from, to: `${prefix}${LAST}` })) {
    for (const item of items) if (selects(toStored<T>(item).value)) found.push(toStored<T>(item).value);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Returns the next of a series of numbers that never repeat. */
export async function nextNumber(client: DynamoClient, series: string): Promise<number> {
  const { Attributes } = await client.read("UpdateItem", {
    TableName: client.table,
    Key: { pk: { S: "NUMBERS" }, sk: { S: series } },
    UpdateExpression: "ADD #last :one",
    ExpressionAttributeNames: { "#last": "last" },
    ExpressionAttributeValues: { ":one": { N: "1" } },
    ReturnValues: "UPDATED_NEW",
  });
  return Number((Attributes as { readonly last: { readonly N: string } }).last.N);
}
