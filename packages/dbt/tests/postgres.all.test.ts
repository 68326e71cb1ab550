// @module-tag D-23
/** dbt on PostgreSQL: a lost connection is retried, and a cancelled run cancels its query. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireDbt } from "@runledger/test-support/dbt";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { DbtOptions } from "../src/index.js";
import { ended, openShop, startedNodes } from "./shop.js";

/** A database for dbt, its options, and a connection that watches it. */
async function warehouse(): Promise<{ readonly options: Partial<DbtOptions>; readonly client: Client }> {
  const database = await freshDatabase({ migrated: false });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const env = {
    SHOP_HOST: hostname,
    SHOP_PORT: port,
    SHOP_USER: decodeURIComponent(username),
    SHOP_PASSWORD: decodeURIComponent(password),
    SHOP_DBNAME: pathname.slice(1),
  };
  return { options: { target: "postgres", env }, client };
}

const SLOW = "select 1 as slept from (select pg_sleep(600)) as nap";

/** Process ids of the queries that sleep. */
async function sleepers(client: Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid() AND datname = current_database()",
  );
  return rows.map(({ pid }) => pid);
}

describeWith("dbt on PostgreSQL", requireDbt, () => {
  test("the shop is built, with the rows that the warehouse reports", async () => {
    const { options, client } = await warehouse();
    const { ledger, run } = await openShop({ options });
    const shop = await run();
    expect(shop.status, JSON.stringify(shop.steps.get("build")?.error)).toBe("COMPLETED");
    const events = await ledger.store.fetchEvents(shop.runId);
    const lines = events.find(
      (event) => event.stepId === "build/model.shop.order_lines" && event.eventType === "StepCompleted",
    );
    expect(lines!.eventData).toMatchObject({ output: { status: "success", rowsAffected: 9 } });
    const { rows } = await client.query("SELECT sum(orders)::int AS orders FROM shop.customer_value");
    expect(rows).toEqual([{ orders: 8 }]);
  });

  test(
    "a cancelled run cancels its query in the warehouse, and the node is cancelled",
    { tags: ["D-21"] },
    async () => {
      const { options, client } = await warehouse();
      const { project, start } = await openShop({ options: { ...options, select: ["stg_orders+", "raw_orders"] } });
      writeFileSync(join(project, "models/marts/order_lines.sql"), `${SLOW} -- {{ ref('stg_orders') }}`);
      const run = await start();
      await until(async () => (await sleepers(client)).length === 1);
      await run.cancel();
      const shop = await ended(run);
      expect(await sleepers(client)).toEqual([]);
      expect(shop.status).toBe("CANCELLED");
      expect(shop.steps.get("model.shop.order_lines")!.error).toMatchObject({ code: "CANCELLED" });
      expect(shop.steps.get("model.shop.stg_orders")!.status).toBe("SUCCESS");
      expect(shop.steps.get("build")!.error).toMatchObject({ code: "CANCELLED" });
    },
  );

  test("a node whose connection is lost is retried, and nothing else is", { tags: ["D-21"] }, async () => {
    const { options, client } = await warehouse();
    const nodes = { select: ["raw_orders", "stg_orders", "order_lines"], exclude: ["resource_type:test"] };
    const { project, ledger, start } = await openShop({ options: { ...options, ...nodes }, attempts: 2 });
    const once = "case when exists (select from shop.was_here) then 0 else 600 end";
    writeFileSync(
      join(project, "models/marts/order_lines.sql"),
      `select 1 as slept from (select pg_sleep(${once})) as nap, {{ ref('stg_orders') }}`,
    );
    await client.query("CREATE SCHEMA shop; CREATE TABLE shop.was_here (at int)");
    const run = await start();
    const find = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(case%' AND pid <> pg_backend_pid()`;
    await until(async () => (await client.query(find)).rows.length === 1);
    await client.query("INSERT INTO shop.was_here VALUES (1)");
    await client.query(`SELECT pg_terminate_backend(pid) FROM (${find}) AS found`);
    const shop = await ended(run);
    expect(shop.status, JSON.stringify(shop.steps.get("build")?.error)).toBe("COMPLETED");
    const started = await startedNodes(ledger, run.id);
    const repeated = started.filter((name, at) => started.indexOf(name) < at);
    expect(repeated).toContain("model.shop.order_lines");
    expect(repeated).not.toContain("model.shop.stg_orders");
    expect(shop.steps.get("model.shop.order_lines")!.logicalAttemptId).toBe("2");
    const events = await ledger.store.fetchEvents(run.id);
    const lost = events.find((event) => event.stepId === "build" && event.eventType === "StepFailed")!;
    expect(lost.eventData).toMatchObject({ error: { code: "DBT_CONNECTION_LOST", retryable: true } });
  });

  test("a failing test is not retried", { tags: ["D-21"] }, async () => {
    const { options } = await warehouse();
    const { project, run } = await openShop({
      options: { ...options, select: ["+stg_orders"], exclude: ["stg_payments"] },
      attempts: 5,
    });
    writeFileSync(join(project, "seeds/raw_orders.csv"), `${HEADER}\n1,1,10,2,lost,2026-04-01\n`);
    const shop = await run();
    expect(shop.status).toBe("FAILED");
    expect(shop.steps.get("build")).toMatchObject({ logicalAttemptId: "1", error: { code: "DBT_TEST_FAILED" } });
  });
});

const HEADER = "order_id,customer_id,product_id,quantity,status,ordered_on";
