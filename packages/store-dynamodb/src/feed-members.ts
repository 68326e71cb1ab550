import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { number, text } from "./encoding.js";
import { deleteItems, putItems, queryAll } from "./items.js";
import { TTL } from "./migrate.js";
import { part } from "./queue-keys.js";

const partitionOf = (group: string): string => `MEMBER#${part(group)}`;

/** Members that left without saying so are deleted by the table's TTL. */
export async function attend(
  { client }: Db,
  { group, member, ttlMs }: { readonly group: string; readonly member: string; readonly ttlMs: number },
): Promise<string[]> {
  const now = client.clock.now();
  const until = now + ttlMs;
  await putItems(client, [{ pk: partitionOf(group), sk: member, until, [TTL]: Math.ceil(until / 1000) + 60 }]);
  return liveMembers(client, group, now);
}

async function liveMembers(client: DynamoClient, group: string, now: number): Promise<string[]> {
  const members = await queryAll(client, { pk: partitionOf(group) });
  return members.filter((item) => number(item, "until") > now).map((item) => text(item, "sk"));
}

export async function hasMembers({ client }: Db, group: string): Promise<boolean> {
  return (await liveMembers(client, group, client.clock.now())).length > 0;
}

export async function leave(
  { client }: Db,
  { group, member }: { readonly group: string; readonly member: string },
): Promise<void> {
  await deleteItems(client, [{ pk: partitionOf(group), sk: member }]);
}
