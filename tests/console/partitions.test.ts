// @module-tag D-32
/** The partitions of a workflow in the console: a grid of states, a selection, and backfills. */
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize, CONTROLS_OFF_SCREEN } from "./support/sizes.js";

let isBroken = true;
const daily = workflow("daily", { partitions: { by: "day", start: "2026-01-01", end: "2026-01-31" } }, (w) => {
  w.step("load", ({ partition }) => {
    if (partition!.key === "2026-01-03" && isBroken) throw new Error("broken");
  });
});
const here = site([daily]);

test("a user sees the states of partitions, selects a range, and runs what is missing and what failed", async () => {
  const tab = await openTab();
  const { page } = tab;
  await here.ledger.partitions.backfill(daily, { to: "2026-01-04", concurrency: 4 });
  await page.goto(`${here.url}/workflows/daily`);
  await page.getByRole("link", { name: "Partitions" }).click();
  const cell = (key: string) => page.locator(`[data-partition="${key}"]`);
  await page.locator('[data-partition="2026-01-03"][data-state="failed"]').waitFor();
  await page.locator('[data-count="succeeded"]').getByText("Succeeded 3").waitFor();
  expect(await page.getByRole("option").count()).toBe(31);
  await page.getByRole("button", { name: "Run missing (27)" }).waitFor();
  await tab.picture("partitions-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await atEachSize(page, async (size) => expect(await page.evaluate(CONTROLS_OFF_SCREEN), size).toEqual([]));

  await page.getByRole("option", { name: "2026-01-04, Succeeded" }).click();
  await page.getByRole("link", { name: "View run" }).waitFor();
  await cell("2026-01-06").click({ modifiers: ["Shift"] });
  await page.getByText("3 partitions selected: 2026-01-04 to 2026-01-06").waitFor();
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByText("4 partitions selected: 2026-01-04 to 2026-01-07").waitFor();
  await page.getByRole("button", { name: "Run missing (3)" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Run 3 missing partitions of daily?").waitFor();
  await dialog.getByLabel("Open runs at once").fill("2");
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Run 3" }).click();
  await page.getByText("3 runs queued").waitFor();
  for (const key of ["2026-01-05", "2026-01-06", "2026-01-07"])
    await page.locator(`[data-partition="${key}"][data-state="succeeded"]`).waitFor();
  expect(await here.ledger.limits.list()).toMatchObject([{ subject: "default|partitions:daily", maxRunning: 2 }]);

  isBroken = false;
  await page.getByLabel("From").fill("2026-01-02");
  await page.getByLabel("to", { exact: true }).fill("2026-01-10");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/from=/);
  await page.getByRole("button", { name: "Run missing (3)" }).waitFor();
  await page.getByRole("button", { name: "Run failed (1)" }).click();
  await dialog.getByRole("button", { name: "Run 1" }).click();
  await page.locator('[data-partition="2026-01-03"][data-state="succeeded"]').waitFor();
  await cell("2026-01-03").click();
  await page.getByRole("link", { name: "View run" }).click();
  await page.getByRole("heading", { name: /daily/ }).first().waitFor();
  expectNoFaults(tab);
});
