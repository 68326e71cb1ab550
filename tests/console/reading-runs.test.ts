// @module-tag R-30
/** The page of a run shows first what a reader looks for, and is usable with the keyboard. */
import { expect, test } from "vitest";
import { eachEvents, eachPlan, writeRun } from "./support/large.js";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { invoices, repaired } from "./support/workflows.js";

const here = site([invoices]);

test("a failed run opens at its failure, and a link scrolls to its step", async () => {
  repaired.invoices = false;
  const failed = await here.ledger.start(invoices);
  await failed.result().catch(() => {});
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs/${failed.id}`);
  await page.locator('[data-step="check"][aria-selected="true"]').waitFor();
  await page.locator(".inspector").getByText("has no customer").waitFor();
  await expect.poll(() => page.title()).toMatch(/^Failed: invoice-sync /);
  await tab.picture("opens-at-failure-light");
  await writeRun(here.ledger, "run_of_300_items", eachPlan, eachEvents(300));
  await page.goto(`${here.url}/runs/run_of_300_items?step=orders/250/check`);
  await page.locator('[data-step="orders/250/check"][aria-selected="true"]').waitFor();
  const row = (await page.locator('[data-step="orders/250/check"]').boundingBox())!;
  const list = (await page.locator(".timeline-scroll").boundingBox())!;
  expect(row.y).toBeGreaterThanOrEqual(list.y);
  expect(row.y + row.height).toBeLessThanOrEqual(list.y + list.height);
  expectNoFaults(tab);
});

test("steps and events are one tab stop each, and arrow keys move between rows", async () => {
  const tab = await openTab();
  const { page } = tab;
  await writeRun(here.ledger, "run_of_60_items", eachPlan, eachEvents(60));
  await page.goto(`${here.url}/runs/run_of_60_items?open=orders`);
  await page.locator('[data-step="orders"]').waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // the skip link
  expect(await page.evaluate("document.activeElement.id")).toBe("page");
  expect(await page.locator('.timeline-row[tabindex="0"]').count()).toBe(1);
  await page.locator('.timeline-row[tabindex="0"]').focus();
  const focused = () => page.evaluate("document.activeElement.dataset.step");
  expect(await focused()).toBe("list");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
  expect(await focused()).toBe("orders");
  expect(await page.locator('.timeline-row[tabindex="0"]').getAttribute("data-step")).toBe("orders");
  await page.keyboard.press("ArrowLeft");
  await page.locator('[data-step="orders/0/check"]').waitFor({ state: "detached" });
  for (let row = 0; row < 3; row++) await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("report");
  await page.keyboard.press("e");
  await page.locator('[data-seq="1"]').waitFor();
  expect(await page.locator('.event-row[tabindex="0"]').count()).toBe(1);
  await page.locator('.event-row[tabindex="0"]').focus();
  for (let row = 0; row < 60; row++) await page.keyboard.press("ArrowDown");
  expect(await page.evaluate("document.activeElement.dataset.seq")).toBe("61");
  expectNoFaults(tab);
});
