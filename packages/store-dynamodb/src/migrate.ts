/** Creates the table, or prints a definition of it. */
import { StopError } from "@runledger/contracts";
import { setTimeout as sleep } from "node:timers/promises";
import type { DynamoClient } from "./client.js";
import { absent } from "./conditions.js";
import { number } from "./encoding.js";
import { Cancelled } from "./errors.js";
import { getItem } from "./items.js";
import { LAYOUT_VERSION, metaKey } from "./table.js";

const DEFINITION = {
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  BillingMode: "PAY_PER_REQUEST",
};

/** Items with this attribute, in seconds since 1970, are deleted some time after it. */
export const TTL = "ttl";

/** Creates the table if it is missing, and records the layout. Safe to repeat. Returns `true` if something was missing. */
export async function migrate(client: DynamoClient): Promise<boolean> {
  const isMissing = (await tableStatus(client)) === null;
  if (isMissing) await createTable(client);
  await untilActive(client);
  if (isMissing) await protect(client);
  const isNew = (await layoutOf(client)) === null;
  if (isNew) await record(client);
  await assertLayout(client);
  return isMissing || isNew;
}

/** Refuses a table that this version cannot use. */
export async function assertLayout(client: DynamoClient): Promise<void> {
  const layout = (await tableStatus(client)) === null ? null : await layoutOf(client);
  if (layout === null)
    throw new StopError("SCHEMA_BEHIND", `Table ${client.table} is missing or empty. Run runledger store migrate.`);
  if (layout > LAYOUT_VERSION)
    throw new StopError(
      "SCHEMA_TOO_NEW",
      `Table ${client.table} has layout ${layout}; this version knows ${LAYOUT_VERSION}. Update runledger.`,
    );
}

async function layoutOf(client: DynamoClient): Promise<number | null> {
  const meta = await getItem(client, metaKey);
  return meta === null ? null : number(meta, "layout");
}

async function record(client: DynamoClient): Promise<void> {
  try {
    await client.transact([{ kind: "put", item: { ...metaKey, layout: LAYOUT_VERSION }, when: absent }]);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error; // another process recorded it
  }
}

async function tableStatus(client: DynamoClient): Promise<string | null> {
  try {
    const { Table } = await client.read("DescribeTable", { TableName: client.table });
    return (Table as { readonly TableStatus: string }).TableStatus;
  } catch (error) {
    if (error instanceof StopError && error.code === "SCHEMA_BEHIND") return null;
    throw error;
  }
}

async function createTable(client: DynamoClient): Promise<void> {
  try {
    await client.read("CreateTable", { TableName: client.table, ...DEFINITION });
  } catch (error) {
    if ((await tableStatus(client)) === null) throw error; // otherwise another process created it
  }
}

const POLL_MS = 200;
const TRIES = 600;

async function untilActive(client: DynamoClient): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if ((await tableStatus(client)) === "ACTIVE") return;
    await sleep(POLL_MS);
  }
  throw new StopError("STORE_FAULT", `Table ${client.table} does not become active. Look at it in the AWS console.`);
}

/** DynamoDB Local has no backups, and a policy may leave these to the operator, so failures are ignored. */
async function protect(client: DynamoClient): Promise<void> {
  const TableName = client.table;
  const ttl = { TimeToLiveSpecification: { AttributeName: TTL, Enabled: true } };
  await client.read("UpdateTimeToLive", { TableName, ...ttl }).catch(() => {});
  const backups = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
  await client.read("UpdateContinuousBackups", { TableName, ...backups }).catch(() => {});
}
