// @module-tag U-35
/** The list of runs and the page of a run, in both themes. */
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, invoices, nightly } from "./support/workflows.js";

const here = site([nightly, invoices, heartbeat]);

test("the list shows runs, and a run shows its steps and errors, in both themes", async () => {
  for (let index = 0; index < 5; index++) await (await here.ledger.start(heartbeat)).result();
  const failed = await here.ledger.start(invoices);
  await failed.result().catch(() => {});
  const waiting = await here.ledger.start(nightly, { input: { day: "2026-11-14" }, labels: { team: "data" } });
  const tab = await openTab({ colorScheme: "light" });
  const { page } = tab;
  await page.goto(here.url);
  await page.getByRole("link", { name: "invoice-sync" }).waitFor();
  await page.locator(`[data-run="${waiting.id}"] [data-status="RUNNING"]`).waitFor();
  await tab.picture("runs-light");
  await tab.pictureForReaders("runs");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^Failed/ }).click();
  await page.waitForURL(/status=FAILED/);
  await page.locator(`[data-run="${waiting.id}"]`).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "invoice-sync" }).click();
  await page.locator('[data-step="check"] [data-status="FAILED"]').waitFor();
  await page.locator('[data-step="check"]').click();
  await page.getByText("has no customer").first().waitFor();
  await tab.picture("run-failed-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${here.url}/runs/${waiting.id}`);
  await page.locator('[data-step="release"]').waitFor();
  await tab.picture("run-waiting-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${here.url}/runs`);
  await page.getByRole("link", { name: "invoice-sync" }).waitFor();
  await tab.picture("runs-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Switch to light theme" }).click();
  expect(await page.evaluate("getComputedStyle(document.body).colorScheme")).toBe("light");
  await page.reload();
  await page.getByRole("button", { name: "Switch to dark theme" }).waitFor();
  expectNoFaults(tab);
  expect(await page.title()).toContain("Runledger");
});
