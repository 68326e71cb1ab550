// @module-tag D-31
/** Datasets in the console: the list, the page of a dataset, and the link from a step. */
import { until } from "@runledger/test-support/until";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize, CONTROLS_OFF_SCREEN } from "./support/sizes.js";

const load = workflow("load", { version: "1" }, (w) => {
  const orders = w.step("orders", { datasets: { writes: [{ name: "shop.orders", freshFor: "1h" }] } }, ({ datasets }) =>
    datasets.wrote({ name: "shop.orders", rows: 7, fields: [{ name: "id", type: "int" }] }),
  );
  return w.step("totals", { after: [orders], datasets: { reads: ["shop.orders"], writes: ["shop.totals"] } }, () => 1);
});
const here = site([load]);

test("a user follows a dataset to the step that wrote it, and to the datasets after it", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/datasets`);
  await page.getByText("No datasets yet").waitFor();
  const run = await here.ledger.start(load);
  await run.result();
  await until(async () => (await here.ledger.datasets.list()).length === 2);
  await page.reload();
  const row = page.locator('[data-dataset="shop.orders"]');
  await row.getByText("Fresh", { exact: true }).waitFor();
  await page.locator('[data-dataset="shop.totals"]').getByText("No policy").waitFor();
  await tab.picture("datasets-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Find datasets" }).fill("TOTALS");
  await row.waitFor({ state: "detached" });
  await page.getByRole("searchbox", { name: "Find datasets" }).fill("");
  await row.getByRole("link", { name: "shop.orders" }).click();
  await page.getByRole("heading", { name: "shop.orders" }).waitFor();
  await page.getByRole("table", { name: "Written by" }).getByText("7", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Fields" }).getByText("int").waitFor();
  await tab.picture("dataset-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await atEachSize(page, async (size) => expect(await page.evaluate(CONTROLS_OFF_SCREEN), size).toEqual([]));
  await page.getByRole("region", { name: "Downstream" }).getByRole("link", { name: "shop.totals" }).click();
  await page.getByRole("heading", { name: "shop.totals" }).waitFor();
  await page.goto(`${here.url}/runs/${run.id}?step=orders`);
  await page.locator(".step-datasets").waitFor();
  await tab.picture("step-datasets-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator(".step-datasets").getByRole("link", { name: "shop.orders" }).click();
  await page.getByRole("heading", { name: "shop.orders" }).waitFor();
  expectNoFaults(tab);
});
