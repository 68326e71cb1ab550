// @module-tag D-20
/** dbt on DuckDB: one process, one run, one step per node. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeWith } from "@runledger/test-support/requirements";
import { dbtProgram, requireDbt } from "@runledger/test-support/dbt";
import { everythingOf, logOf, runWorkflow } from "@runledger/test-support/run-workflow";
import { EnvSecrets, loadWorkflow } from "runledger";
import { expect, test } from "vitest";
import { dbtRunner } from "../src/index.js";
import { ended, openShop, startedNodes, statuses } from "./shop.js";

describeWith("dbt on DuckDB", requireDbt, () => {
  test("every node is a step with its dependencies, result, rows and compiled SQL", async () => {
    const { ledger, run } = await openShop();
    const shop = await run();
    expect(shop.status, JSON.stringify([...shop.steps.values()].find(({ error }) => error))).toBe("COMPLETED");
    expect(shop.steps.size).toBe(1 + 27);
    expect(new Set(Object.values(statuses(shop)))).toEqual(new Set(["SUCCESS"]));
    const lines = shop.steps.get("model.shop.order_lines")!;
    expect(lines.opened?.inner).toMatchObject({
      kind: "model",
      after: ["build/model.shop.stg_orders", "build/model.shop.stg_products"],
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const [sql] = lines.artifacts;
    expect(sql).toMatchObject({ kind: "dbt-compiled-sql" });
    const page = await ledger.store.artifacts.readChunks({ uri: sql!.uri });
    expect(Buffer.concat(page!.chunks).toString()).toContain('from "shop"."main"."stg_orders" as o');
    const events = await ledger.store.fetchEvents(shop.runId);
    const dataOf = (stepId: string) =>
      events.find((event) => event.stepId === stepId && event.eventType === "StepCompleted")!.eventData;
    expect(dataOf("build/seed.shop.raw_orders")).toMatchObject({
      output: { status: "success", message: "INSERT 9", rowsAffected: 9, seconds: expect.any(Number) as number },
      datasets: { writes: [{ name: "shop.main.raw_orders", namespace: "duckdb", rows: 9 }] },
    });
    expect(dataOf("build/test.shop.every_order_is_paid")).toMatchObject({ output: { status: "warn", failures: 1 } });
    expect(dataOf("build")).toMatchObject({ output: { nodes: { success: 13, pass: 13, warn: 1 }, done: 27 } });
    expect(shop.steps.get("build")!.artifacts.map(({ kind }) => kind)).toEqual([
      "dbt-manifest",
      "dbt-run-results",
      "log",
    ]);
    const log = (await logOf(ledger.store, shop.runId, "build")).map(({ text }) => text);
    expect(log).toContainEqual(expect.stringContaining("27 of 27"));
  });

  test("a failing model fails the run with its error; nodes below it are skipped because of it", async () => {
    const { project, ledger, start } = await openShop({ attempts: 3 });
    appendFileSync(join(project, "models/marts/order_lines.sql"), "\nwhere no_such_column > 1\n");
    const run = await start();
    const shop = await ended(run);
    expect(shop.status).toBe("FAILED");
    const { error, logicalAttemptId } = shop.steps.get("model.shop.order_lines")!;
    expect(error).toMatchObject({ code: "DBT_NODE_FAILED", retryable: false });
    expect(error!.message).toContain("no_such_column");
    expect(logicalAttemptId).toBe("1"); // a faulty statement is not retried
    expect(shop.steps.get("model.shop.customer_value")).toMatchObject({
      status: "SKIPPED",
      reason: "UPSTREAM_FAILED",
      culprit: "build/model.shop.order_lines",
    });
    expect(shop.steps.get("test.shop.unique_customer_value_customer_id.b0904f19ee")).toMatchObject({
      status: "SKIPPED",
      culprit: "build/model.shop.order_lines",
    });
    const snapshot = await run.snapshot();
    expect(snapshot).toMatchObject({ culprit: "build/model.shop.order_lines", error: { code: "DBT_NODE_FAILED" } });
    expect(shop.steps.get("build")!.artifacts.map(({ kind }) => kind)).toContain("dbt-run-results");

    writeFileSync(join(project, "models/marts/order_lines.sql"), FIXED);
    const { lastEventSeq } = snapshot;
    await run.retry();
    const again = await ended(run);
    expect(again.status, JSON.stringify(again.steps.get("build")?.error)).toBe("COMPLETED");
    const repeated = await startedNodes(ledger, run.id, lastEventSeq);
    const missing = [...shop.steps].filter(([, { status }]) => status !== "SUCCESS").map(([name]) => name);
    expect(repeated.toSorted()).toEqual(missing.filter((name) => name !== "build").toSorted());
    expect(again.steps.get("model.shop.order_lines")).toMatchObject({ status: "SUCCESS", logicalAttemptId: "2" });
  });

  test("a cancelled run stops a long query, and its nodes are cancelled", { tags: ["D-21", "D-23"] }, async () => {
    const nodes = { select: ["raw_orders", "stg_orders", "order_lines"], exclude: ["resource_type:test"] };
    const { project, start } = await openShop({ options: nodes });
    const endless = "select count(*) as n from range(100000000) as a, range(100000000) as b -- {{ ref('stg_orders') }}";
    writeFileSync(join(project, "models/marts/order_lines.sql"), endless);
    const run = await start();
    for await (const { eventType, stepId } of run.events()) {
      if (eventType === "StepStarted" && stepId === "build/model.shop.order_lines") await run.cancel();
    }
    const shop = await ended(run);
    expect(shop.status).toBe("CANCELLED");
    const codes = Object.fromEntries([...shop.steps].map(([name, { status, error }]) => [name, error?.code ?? status]));
    expect(codes).toEqual({
      build: "CANCELLED",
      "seed.shop.raw_orders": "SUCCESS",
      "model.shop.stg_orders": "SUCCESS",
      "model.shop.order_lines": "CANCELLED",
    });
  });

  test("hooks and ephemeral models are no steps, and a failing hook fails the run", async () => {
    const { project, start } = await openShop({ options: { select: ["raw_orders", "hidden", "seen"] } });
    writeFileSync(
      join(project, "models/hidden.sql"),
      `{{ config(materialized="ephemeral") }} select * from {{ ref("raw_orders") }}`,
    );
    writeFileSync(join(project, "models/seen.sql"), `select * from {{ ref("hidden") }}`);
    appendFileSync(join(project, "dbt_project.yml"), 'on-run-start: ["select 1"]\non-run-end: ["select 2"]\n');
    const shop = await ended(await start());
    expect(shop.status, JSON.stringify(shop.steps.get("build")?.error)).toBe("COMPLETED");
    expect([...shop.steps.keys()].toSorted()).toEqual(["build", "model.shop.seen", "seed.shop.raw_orders"]);
    expect(shop.steps.get("model.shop.seen")!.opened!.inner!.after).toEqual(["build/seed.shop.raw_orders"]);

    const text = readFileSync(join(project, "dbt_project.yml"), "utf8");
    writeFileSync(join(project, "dbt_project.yml"), text.replace("select 2", "select no_such_column"));
    const failed = await ended(await start());
    expect(failed.status).toBe("FAILED");
    expect(failed.steps.get("build")!.error).toMatchObject({ code: "DBT_FAILED" });
  });

  test("a workflow file has steps of kind dbt", async () => {
    const { project, ledger } = await openShop();
    const file = join(project, "shop.yaml");
    const options = { project, env: { SHOP_DATABASE: join(project, "file.duckdb") }, command: "seed" };
    writeFileSync(
      file,
      JSON.stringify({ workflow: "shop-file", version: "1", steps: [{ id: "build", kind: "dbt", with: options }] }),
    );
    const shop = await loadWorkflow(file, { name: "shop.yaml", kinds: ["dbt"] });
    const runners = { dbt: dbtRunner({ program: await dbtProgram() }) };
    const { events } = await runWorkflow(ledger, shop, { runners });
    const completed = events.filter(({ eventType }) => eventType === "StepCompleted").map(({ stepId = "" }) => stepId);
    expect(completed.toSorted()).toEqual([
      "build",
      ...["raw_customers", "raw_orders", "raw_payments", "raw_products"].map((name) => `build/seed.shop.${name}`),
    ]);
  });

  test("secrets reach dbt, and no log, event or artifact contains them", async () => {
    const value = "a-very-secret-schema-name";
    const { project, ledger, run } = await openShop({
      options: { env: { SHOP_SECRET: { secret: "shop-secret" }, SHOP_DATABASE: ":memory:" }, threads: 1 },
      worker: { secrets: new EnvSecrets({ RUNLEDGER_SECRET_SHOP_SECRET: value }) },
    });
    const query = `select '{{ env_var("SHOP_SECRET") }}' as shown\n`;
    writeFileSync(join(project, "models/marts/shown.sql"), query);
    writeFileSync(join(project, "tests/shown.sql"), `select * from {{ ref("shown") }} where shown = 'short'\n`);
    const shop = await run();
    expect(shop.status).toBe("COMPLETED");
    const everything = await everythingOf(ledger.store, shop.runId);
    expect(everything).toContain("as shown");
    expect(everything).not.toContain(value);
  });
});

const FIXED = `
select o.order_id, o.customer_id, o.ordered_on, o.status, p.category, o.quantity * p.price_cents as total_cents
from {{ ref('stg_orders') }} as o
join {{ ref('stg_products') }} as p on p.product_id = o.product_id
`;
