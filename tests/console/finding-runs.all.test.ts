// @module-tag R-30
/** The list of runs: counts, bars and rows agree, a search finds what the list shows, and Back returns to the same place. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { manyRuns } from "@runledger/test-support/many-runs.mjs";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize } from "./support/sizes.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat], { fill: (url) => manyRuns(url, { runs: 400 }) });

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The number of runs according to the chips of the statuses, the chart and the list. */
async function totals(page: Page): Promise<{ chips: number; bars: number; rows: number }> {
  const chips = page.locator(".statuses .chip");
  const chosen = page.locator('.statuses .chip[aria-pressed="true"]');
  const counts = await ((await chosen.count()) > 0 ? chosen : chips).locator(".count").allTextContents();
  const bars = await page.getByRole("slider", { name: "Runs over time" }).getAttribute("aria-valuetext");
  const rows = await page.getByRole("table", { name: "Runs" }).getAttribute("aria-rowcount");
  return {
    chips: sum(counts.map(Number)),
    bars: sum((bars!.match(/\d+/g) ?? []).map(Number)),
    rows: Number(rows) - 1,
  };
}

test("counts, bars and list agree under every filter, and the time range filters all three", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  const seen = new Map<string, number>();
  for (const search of [
    "range=1h",
    "range=all&workflow=workflow-5",
    "range=1h&status=FAILED",
    "range=24h&version=1.1.0",
    "range=24h&error=disk",
    "range=24h&labels=team:data&status=COMPLETED,FAILED",
    "range=24h&parent=run-0000",
    `from=${new Date(Date.now() - 40 * 60_000).toISOString()}&to=${new Date(Date.now() - 20 * 60_000).toISOString()}`,
  ]) {
    await page.goto(`${here.url}/runs?${search}`);
    await page.locator("[data-run]").first().waitFor();
    await expect
      .poll(async () => {
        const { chips, bars, rows } = await totals(page);
        return chips === bars && bars === rows && rows > 0;
      })
      .toBe(true);
    seen.set(search, (await totals(page)).rows);
  }
  await atEachSize(page, async (size) => {
    const { chips, bars, rows } = await totals(page);
    expect([chips, bars]).toEqual([rows, rows]);
    await tab.picture(`runs-${size}-light`);
  });
  expect(seen.get("range=1h")).toBeGreaterThan(100);
  expect(seen.get("range=1h")).toBeLessThan(120);
  await page.goto(`${here.url}/runs?range=1h`);
  await page.getByText(/\d+ open runs are older than this time range/).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForURL(/range=all/);
  await page.locator(".older-runs").waitFor({ state: "detached" });
  expectNoFaults(tab);
});

test("a search finds a short id, a bare workflow name and several terms", async () => {
  const run = await here.ledger.start(heartbeat);
  await run.result();
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?range=all`);
  const search = async (text: string): Promise<void> => {
    await page.getByLabel("Search runs").fill(text);
    await page.keyboard.press("Enter");
  };
  const shown = await page.locator(`[data-run="${run.id}"] .c-id`).textContent();
  await search("heartbeat");
  await page.waitForURL(/workflow=heartbeat/);
  await search("failed workflow:workflow-5 disk");
  await page.waitForURL((url) => url.search.includes("status=FAILED") && url.search.includes("error=disk"));
  expect(new URL(page.url()).searchParams.get("workflow")).toBe("workflow-5");
  await search(shown!);
  await page.waitForURL(new RegExp(`/runs/${run.id}`));
  expectNoFaults(tab);
});

const SCROLL = `document.querySelector(".run-scroll").scrollTop`;

test("Back returns to the same rows with the same filters, and tabs have titles", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?range=24h&status=COMPLETED`);
  const first = await page.locator("[data-run]").first().getAttribute("data-run");
  expect(await page.title()).toBe("Runs completed · Runledger");
  await page.evaluate(`${SCROLL} = 4000`);
  await page.locator(`[data-run="${first}"]`).waitFor({ state: "detached" }); // the rows of the new position are shown
  await expect.poll(() => page.evaluate(SCROLL)).toBe(4000);
  const row = page.locator("[data-run]").nth(20);
  const runId = await row.getAttribute("data-run");
  await row.locator(".row-link").click();
  await page.waitForURL(/\/runs\/run-/);
  await expect.poll(() => page.title()).toMatch(/^Completed: workflow-\d+ /);
  await page.goBack();
  await page.waitForURL(/status=COMPLETED/);
  await page.locator(`[data-run="${runId}"]`).waitFor();
  expect(await page.evaluate(SCROLL)).toBe(4000);
  await page.locator(`[data-run="${runId}"] .row-link`).click();
  await page.waitForURL(/\/runs\/run-/);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.waitForURL(/status=COMPLETED/);
});
