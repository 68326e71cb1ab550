/** The list of runs where there are a million of them: what is read and drawn does not grow with them. */
import { expect, test } from "vitest";
import { manyRuns } from "../support/many-runs.mjs";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const RUNS = 1_000_000;
const PAGES = 25;
const MOST_BYTES = 1_000_000;

const here = site([heartbeat], { fill: (url) => manyRuns(url, { runs: RUNS }), timeout: 900_000 });

/** What is seen, from top to bottom. */
const SEEN = `[...document.querySelectorAll("[data-run]")].map((row) => [Number(row.ariaRowIndex), row.dataset.run])`;
const SCROLL = `(() => { const list = document.querySelector(".run-scroll"); list.scrollTop += list.clientHeight * 4; })()`;
const LONG_TASKS = `window.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
}).observe({ type: "longtask" });`;

test("[U-30] of a million runs as many are read and drawn as are looked at, in order and once", async () => {
  const tab = await openTab();
  const { page } = tab;
  const sizes: number[] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/api/v1/runs?limit")) return;
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

test("[U-30] a time a year ago is one drag away, and costs one page", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?range=1y`);
  await page.locator("[data-run]").first().waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("createdTo=") && request.url().includes("limit=200")) asked.push(request.url());
  });
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
