// @module-tag U-30
/** The list of runs with a million runs: requests and rows do not grow with their number. */
import { expect, test } from "vitest";
import { manyRuns } from "@runledger/test-support/many-runs.mjs";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const RUNS = 1_000_000;
const PAGES = 25;
const MOST_BYTES = 1_000_000;

const here = site([heartbeat], { fill: (url) => manyRuns(url, { runs: RUNS }), timeout: 900_000 });

/** Returns the visible rows from top to bottom. */
const SEEN = `[...document.querySelectorAll("[data-run]")].map((row) => [Number(row.ariaRowIndex), row.dataset.run])`;
const SCROLL = `(() => { const list = document.querySelector(".run-scroll"); list.scrollTop += list.clientHeight * 4; })()`;
const LONG_TASKS = `window.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
}).observe({ type: "longtask" });`;

test("only the visible ones of a million runs are loaded and rendered, in order and once", async () => {
  const tab = await openTab();
  const { page } = tab;
  const sizes: number[] = [];
  page.on("response", (response) => {
    if (!/\/api\/v1\/runs\?.*limit=200/.test(response.url())) return;
    void response.body().then((body) => sizes.push(body.length));
  });
  await page.goto(`${here.url}/runs?range=1y`);
  await page.locator("[data-run]").first().waitFor();
  await page.evaluate(LONG_TASKS);
  const seen = new Map<number, string>();
  while (sizes.length < PAGES) {
    for (const [index, runId] of await page.evaluate<[number, string][]>(SEEN)) {
      expect(seen.get(index) ?? runId).toBe(runId);
      seen.set(index, runId);
    }
    await page.evaluate(SCROLL);
    await page.waitForTimeout(30);
  }
  const longest = await page.evaluate<number>("window.longest");
  console.log(`longest task while ${sizes.length} pages were scrolled: ${longest} ms`);
  expect(new Set(seen.values()).size).toBe(seen.size);
  expect(seen.size).toBeGreaterThan(1000);
  expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(3000);
  expect(Math.max(...sizes)).toBeLessThan(MOST_BYTES);
  await page.getByRole("button", { name: /^Completed 75\d,\d{3}$/ }).waitFor();
  await tab.picture("million-runs-light");
  expectNoFaults(tab);
});

test("one drag zooms to a time a year ago and loads one page", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?range=1y`);
  await page.locator("[data-run]").first().waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("createdTo=") && request.url().includes("limit=200")) asked.push(request.url());
  });
  await page.locator(".chart-most").waitFor(); // the chart has its counts
  const bars = (await page.locator(".bars").boundingBox())!;
  await page.mouse.move(bars.x + bars.width * 0.1, bars.y + 20);
  await page.mouse.down();
  await page.mouse.move(bars.x + bars.width * 0.12, bars.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/from=.*to=/);
  const to = new URL(page.url()).searchParams.get("to")!;
  const [first] = (await here.client.listRuns({ createdTo: to, limit: 1 })).items;
  await page.locator(`[data-run="${first!.runId}"][aria-rowindex="2"]`).waitFor();
  expect(asked).toHaveLength(1);
  expectNoFaults(tab);
});
