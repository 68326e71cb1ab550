/** The list of runs in the browser: found, zoomed, paged, held still, and steered in numbers. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { manyRuns } from "../support/many-runs.mjs";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, invoices, mended, nightly } from "./support/workflows.js";

const RECORDED = 700;
const here = site([nightly, invoices, heartbeat], { fill: (url) => manyRuns(url, { runs: RECORDED }) });

const rows = (page: Page) => page.locator("[data-run]");
/** What the page itself knows. */
const TO_THE_END = `(() => { const list = document.querySelector(".run-scroll"); list.scrollTop = list.scrollHeight; })()`;
const PLACES = `[...document.querySelectorAll("[data-run]")].map((row) => [row.dataset.run, row.getBoundingClientRect().top])`;

const texts = (page: Page, column: string) => page.locator(`[data-run] .${column}`).allTextContents();

test("[U-30] filters and the zoom of the histogram are in the address, which gives the same list again", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs`);
  await page.getByRole("button", { name: /^Failed/ }).click();
  await page.getByLabel("Find runs").fill("workflow:workflow-5");
  await page.keyboard.press("Enter");
  await page.waitForURL(/status=FAILED&workflow=workflow-5/);
  await expect.poll(() => texts(page, "c-status").then((all) => new Set(all))).toEqual(new Set(["Failed"]));
  expect(new Set(await texts(page, "c-workflow"))).toEqual(
    new Set(["workflow-5 1.0.0", "workflow-5 1.1.0", "workflow-5 1.2.0"]),
  );
  expect((await texts(page, "c-error"))[0]).toMatch(/^step-\d STEP_FAILED /);
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

test("[U-30] pages are read while scrolling, few rows are drawn, and new runs do not move what is read", async () => {
  const tab = await openTab();
  const { page } = tab;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/runs\?.*limit=200/.test(request.url())) asked.push(request.url()); // not what asks how long runs take
  });
  await page.goto(`${here.url}/runs?range=7d`);
  await rows(page).first().waitFor();
  expect(new Set(asked).size).toBeLessThan(3); // of four pages
  for (let at = 0; at < 5; at++) {
    await page.evaluate(TO_THE_END);
    await page.waitForTimeout(150);
  }
  await page.getByText("All 630 runs are above.").waitFor();
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
  await page.mouse.move(700, 10); // nobody reads any more
  const next = await here.ledger.start(heartbeat);
  await page.locator(`[data-run="${next.id}"]`).waitFor();
  expectNoFaults(tab);
});

test("[U-30] many runs are cancelled or retried after a look at what would become of each", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  mended.invoices = false;
  const waiting = await Promise.all([1, 2].map((day) => here.ledger.start(nightly, { day: `2026-11-0${day}` })));
  const failed = await Promise.all([1, 2, 3].map(() => here.ledger.start(invoices)));
  await Promise.all(failed.map((run) => run.result().catch(() => {})));
  mended.invoices = true;
  await page.goto(`${here.url}/runs?from=${new Date(Date.now() - 60_000).toISOString()}`);
  for (const { id } of [...waiting, ...failed]) await page.getByLabel(`Select run ${id}`).check();
  await page.getByText("5 runs selected").waitFor();
  await page.getByRole("button", { name: "Retry…" }).click();
  await page.locator('[data-accepted="3"][data-refused="2"]').waitFor();
  await page.getByText("3 runs will run again: 9 steps in all. 3 completed steps keep their outputs.").waitFor();
  await tab.picture("bulk-retry-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect((await here.client.getRun(failed[0]!.id)).status).toBe("FAILED");
  await page.getByRole("button", { name: "Retry 3 runs" }).click();
  for (const { id } of failed) await page.locator(`[data-run="${id}"] [data-status="COMPLETED"]`).waitFor();
  await page.getByRole("button", { name: "Clear selection" }).waitFor({ state: "detached" });
  for (const { id } of waiting) await page.getByLabel(`Select run ${id}`).check();
  await page.getByRole("button", { name: "Cancel…" }).click();
  await page.getByRole("button", { name: "Cancel 2 runs" }).click();
  for (const { id } of waiting) await page.locator(`[data-run="${id}"] [data-status="CANCELLED"]`).waitFor();
  expectNoFaults(tab);
});

test("[U-30] j, k, x, enter, / and ? do what the list of keys says", async () => {
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
  expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Find runs");
  await page.keyboard.press("Tab");
  await page.locator("[data-row]").nth(1).focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("next row").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("[data-row]").nth(1).focus();
  expectNoFaults(tab); // the runs that are opened now were recorded without a plan
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/.+/);
  await page.goBack();
  await page.getByLabel("Find runs").fill("run-0300");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/run-0300$/);
});

test("[U-30] emptiness, and a list that could be read in part only are said in words", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?error=never-heard-of`);
  await page.getByText("No run fits these filters").waitFor();
  await tab.picture("runs-empty-light");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows(page).first().waitFor();
  const list = "**/api/v1/runs?*";
  await page.route(list, (route) => route.abort());
  await page.goto(`${here.url}/runs?status=FAILED`);
  await page.getByText("The server cannot be reached").waitFor();
  await tab.picture("runs-partial-light");
  await page.unroute(list);
  await page.getByRole("button", { name: "Try again" }).click();
  await rows(page).first().waitFor();
});
