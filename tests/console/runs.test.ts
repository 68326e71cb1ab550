// @module-tag U-30
/** The list of runs: filters, zoom, pages, held updates and shortcuts. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { manyRuns } from "@runledger/test-support/many-runs.mjs";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const RECORDED = 700;
const here = site([heartbeat], { fill: (url) => manyRuns(url, { runs: RECORDED }) });

const rows = (page: Page) => page.locator("[data-run]");
/** Scripts that run in the page. */
const TO_THE_END = `(() => { const list = document.querySelector(".run-scroll"); list.scrollTop = list.scrollHeight; })()`;
const PLACES = `[...document.querySelectorAll("[data-run]")].map((row) => [row.dataset.run, row.getBoundingClientRect().top])`;

const texts = (page: Page, column: string) => page.locator(`[data-run] .${column}`).allTextContents();

test("filters and the zoom of the histogram are in the URL, which restores the same list", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs`);
  await page.getByRole("button", { name: /^Failed/ }).click();
  await page.getByLabel("Search runs").fill("workflow:workflow-5");
  await page.keyboard.press("Enter");
  await page.waitForURL(/status=FAILED&workflow=workflow-5/);
  await expect.poll(() => texts(page, "c-status").then((all) => new Set(all))).toEqual(new Set(["Failed"]));
  expect(new Set(await texts(page, "c-workflow"))).toEqual(
    new Set(["workflow-5 1.0.0", "workflow-5 1.1.0", "workflow-5 1.2.0"]),
  );
  expect((await texts(page, "c-error"))[0]).toMatch(/^step-\d STEP_FAILED /);
  await page.locator(".chart-most").waitFor(); // the chart has its counts
  const bars = (await page.locator(".bars").boundingBox())!;
  await page.mouse.move(bars.x + bars.width * 0.9, bars.y + 20);
  await page.mouse.down();
  await page.mouse.move(bars.x + bars.width * 0.95, bars.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/from=.*to=/);
  await page.getByRole("button", { name: "Zoom out" }).waitFor();
  const { searchParams } = new URL(page.url());
  const counted = (
    await here.client.listRuns({
      status: ["FAILED"],
      workflow: "workflow-5",
      limit: 200,
      createdFrom: searchParams.get("from")!,
      createdTo: searchParams.get("to")!,
    })
  ).items;
  await expect.poll(() => rows(page).count()).toBe(counted.length);
  await page.goto(page.url());
  await expect.poll(() => rows(page).count()).toBe(counted.length);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.waitForURL((url) => !url.searchParams.has("from"));
  await page.getByRole("button", { name: "Remove filter workflow workflow-5" }).click();
  await page.waitForURL((url) => !url.searchParams.has("workflow"));
  await tab.picture("runs-failed-light");
  expectNoFaults(tab);
});

test("scrolling loads pages, few rows are rendered, and new runs do not move rows", async () => {
  const tab = await openTab();
  const { page } = tab;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/runs\?.*limit=200/.test(request.url())) asked.push(request.url()); // not the requests for median durations
  });
  await page.goto(`${here.url}/runs?range=7d`);
  await rows(page).first().waitFor();
  expect(new Set(asked).size).toBeLessThan(3); // out of four pages
  for (let at = 0; at < 5; at++) {
    await page.evaluate(TO_THE_END);
    await page.waitForTimeout(150);
  }
  await page.getByText("All 630 runs are shown.").waitFor();
  expect(await rows(page).count()).toBeLessThan(80);
  expect(new Set(asked).size).toBe(4);
  const place = () => page.evaluate(PLACES);
  const before = await place();
  const fresh = await here.ledger.start(heartbeat);
  await page.getByRole("button", { name: "Show 1 new run" }).waitFor();
  expect(await place()).toEqual(before);
  await tab.picture("runs-held-light");
  await page.getByRole("button", { name: "Show 1 new run" }).click();
  await page.locator(`[data-run="${fresh.id}"]`).waitFor();
  await page.mouse.move(700, 10); // the user no longer hovers over the list
  const next = await here.ledger.start(heartbeat);
  await page.locator(`[data-run="${next.id}"]`).waitFor();
  expectNoFaults(tab);
});

test("j, k, x, enter, / and ? work as the list of shortcuts describes", async () => {
  const tab = await openTab({ viewport: { width: 390, height: 844 } });
  const { page } = tab;
  await page.goto(`${here.url}/runs?status=COMPLETED`);
  await rows(page).first().waitFor();
  const focused = () => page.evaluate("document.activeElement.closest('[data-run]').ariaRowIndex");
  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
  expect(await focused()).toBe("3");
  await page.keyboard.press("x");
  await page.getByText("1 run selected").waitFor();
  await tab.picture("runs-390-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.keyboard.press("Escape");
  await page.getByText("1 run selected").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Search runs");
  await page.keyboard.press("Tab");
  await page.locator("[data-row]").nth(1).focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("next row").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("[data-row]").nth(1).focus();
  expectNoFaults(tab); // the runs that are opened next were recorded without a plan
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/.+/);
  await page.goBack();
  await page.getByLabel("Search runs").fill("run-0300");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/run-0300$/);
});

test("an empty list and a partly loaded list are explained", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?error=never-heard-of`);
  await page.getByText("No runs match these filters").waitFor();
  await tab.picture("runs-empty-light");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows(page).first().waitFor();
  const list = "**/api/v1/runs?*";
  await page.route(list, (route) => route.abort());
  await page.goto(`${here.url}/runs?status=FAILED`);
  await page.getByText("Cannot reach the server").waitFor();
  await tab.picture("runs-partial-light");
  await page.unroute(list);
  await page.getByRole("button", { name: "Retry" }).click();
  await rows(page).first().waitFor();
});
