// @module-tag R-07
/** Q3: `doctor` reports a transaction of another program that stays open, such as a long backup. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder } from "@runledger/test-support/runledger-command";

const doctor = async (url: string): Promise<string> =>
  (await runledger({ cwd: freshFolder() }, "doctor", "--store", url)).stdout;

test("doctor reports a transaction that stays open, until it ends", async () => {
  const database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await client.query("SELECT 1");
  await sleep(5500);
  expect(await doctor(database.url)).toMatch(/! Transactions a transaction has been open for \d+ s; workers claim/);
  await client.end();
  expect(await doctor(database.url)).not.toContain("Transactions");
  await database.drop();
});
