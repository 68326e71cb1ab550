// @module-tag D-24
/** A dbt project in the console: its graph, the results and SQL of its nodes, failing rows, and the slowest nodes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dbt, dbtRunner } from "@runledger/dbt";
import { dbtProgram, requireDbt, shopProject } from "@runledger/test-support/dbt";
import { describeWith } from "@runledger/test-support/requirements";
import type { Page } from "playwright-core";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";

const here = site([]);

/** Runs the shop twice. A test of it finds rows, so that both runs fail. */
async function runShop(): Promise<readonly string[]> {
  const project = shopProject();
  const large = "select order_id, total_cents from {{ ref('order_lines') }} where total_cents > 0 order by order_id";
  writeFileSync(join(project, "tests/no_order_has_a_price.sql"), large);
  const env = { SHOP_DATABASE: join(project, "shop.duckdb") };
  const shop = workflow("shop", { version: "1" }, (w) => {
    const build = dbt(w, "build", { project, env, failingRows: 3 });
    w.step("announce", { needs: { build } }, () => "done");
  });
  await here.ledger.worker({ workflows: [shop], runners: { dbt: dbtRunner({ program: await dbtProgram() }) } });
  const ids: string[] = [];
  for (let index = 0; index < 2; index++) {
    const run = await here.ledger.start(shop);
    await run.result().catch(() => {});
    ids.push(run.id);
  }
  return ids;
}

const EDGES = "[...document.querySelectorAll('.react-flow__edge')].map((one) => one.dataset.id)";

const node = (name: string) => `.react-flow__node[data-id="build/${name}"]`;

async function fact(page: Page, name: string): Promise<string | null> {
  return page.locator(".node-facts > div", { hasText: name }).locator("dd").textContent();
}

describeWith("dbt in the console", requireDbt, () => {
  test("the graph shows the project, and a node its result, SQL and failing rows", async () => {
    const [first, last] = await runShop();
    const tab = await openTab();
    const { page } = tab;
    await page.goto(`${here.url}/runs/${last}?view=graph`);
    await page.locator(`${node("model.shop.order_lines")} [data-status="SUCCESS"]`).waitFor();
    expect(await page.locator(".react-flow__node").count()).toBe(2 + 28);
    const edges = await page.evaluate<string[]>(EDGES);
    expect(edges).toContain("build/model.shop.stg_orders build/model.shop.order_lines");
    expect(edges).toContain("build/model.shop.order_lines build/test.shop.no_order_has_a_price");
    await page.locator(`${node("test.shop.no_order_has_a_price")} [data-status="FAILED"]`).waitFor();
    await page.locator(`${node("model.shop.order_lines")} small`, { hasText: /^model · \d/ }).waitFor();
    await page.locator('.graph-frame[data-path="build"]', { hasText: "1 failed" }).waitFor();
    await tab.picture("dbt-graph-light");
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.locator(node("model.shop.order_lines")).click();
    await page.locator(".sql", { hasText: '"stg_orders" as o' }).waitFor();
    expect([await fact(page, "Kind"), await fact(page, "Status")]).toEqual(["model", "success"]);
    expect(await fact(page, "Duration")).toMatch(/\d/);
    await page.locator(`${node("model.shop.order_lines")}.selected`).waitFor();
    await page.locator(node("seed.shop.raw_orders")).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "build/seed.shop.raw_orders" }).waitFor();
    await expect.poll(() => fact(page, "Rows affected")).toBe("9");
    expect(await fact(page, "Message")).toBe("INSERT 9");

    await page.locator(node("test.shop.no_order_has_a_price")).click();
    const rows = page.getByRole("region", { name: "Failing rows" });
    await rows.waitFor();
    expect(await rows.getByRole("columnheader").allTextContents()).toEqual(["order_id", "total_cents"]);
    expect(await rows.locator("tbody tr").count()).toBe(3);
    expect(await fact(page, "Failing rows")).toMatch(/^\d+$/);
    expect(await fact(page, "Message")).toMatch(/configured to fail/);
    await tab.picture("dbt-failing-rows-light");
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.goto(`${here.url}/runs/${last}?step=build&tab=nodes`);
    await page.locator(".inner-table tbody tr").nth(19).waitFor();
    await page.getByText("28 nodes, 1 failed").waitFor();
    await page.getByRole("button", { name: "Show all 28" }).click();
    await page.locator(".inner-table tbody tr").nth(27).waitFor();
    await page.getByRole("button", { name: "Show graph" }).click();
    await page.getByRole("button", { name: "Close build" }).click();
    await page.locator(node("model.shop.order_lines")).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Open build" }).click();
    await page.locator(node("model.shop.order_lines")).waitFor();

    await page.goto(`${here.url}/workflows/shop?tab=nodes`);
    await page.getByText("over the last 2 runs").waitFor();
    expect(await page.locator("[data-node]").count()).toBe(15);
    await tab.picture("dbt-slowest-light");
    expect(await accessibilityFaults(page)).toEqual([]);
    const slowest = await here.client.listSlowestSteps("shop", { limit: 3 });
    expect(slowest).toMatchObject({ runs: 2, steps: [{ runs: 2 }, { runs: 2 }, { runs: 2 }] });
    const medians = slowest.steps.map(({ p50Ms }) => p50Ms);
    expect(medians).toEqual(medians.toSorted((one, other) => other - one));
    expect([first, last]).toContain(slowest.steps[0]!.slowestRunId);
    await page.locator("[data-node] a").first().click();
    await page.waitForURL(/\/runs\/.*step=build/);
    expectNoFaults(tab);

    const phone = await openTab({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    for (const [name, path, sign] of [
      ["dbt-graph-390-dark", `/runs/${last}?view=graph`, node("model.shop.order_lines")],
      ["dbt-node-390-dark", `/runs/${last}?step=build/test.shop.no_order_has_a_price`, ".preview-table"],
      ["dbt-slowest-390-dark", "/workflows/shop?tab=nodes", "[data-node]"],
    ] as const) {
      await phone.page.goto(`${here.url}${path}`);
      await phone.page.locator(sign).first().waitFor();
      expect(await phone.page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      expect(await accessibilityFaults(phone.page)).toEqual([]);
      await phone.picture(name);
    }
    expectNoFaults(phone);
  });
});
