// @module-tag U-30
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { invoices, nightly, repaired } from "./support/workflows.js";

const here = site([nightly, invoices]);

test("bulk cancel and retry preview the outcome of each run", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  repaired.invoices = false;
  const waiting = await Promise.all(
    [1, 2].map((day) => here.ledger.start(nightly, { input: { day: `2026-11-0${day}` } })),
  );
  const failed = await Promise.all([1, 2, 3].map(() => here.ledger.start(invoices)));
  await Promise.all(failed.map((run) => run.result().catch(() => {})));
  repaired.invoices = true;
  await page.goto(`${here.url}/runs?from=${new Date(Date.now() - 60_000).toISOString()}`);
  for (const { id } of [...waiting, ...failed]) await page.getByLabel(`Select run ${id}`).check();
  await page.getByText("5 runs selected").waitFor();
  await page.getByRole("button", { name: "Retry…" }).click();
  await page.locator('[data-accepted="3"][data-refused="2"]').waitFor();
  await page.getByText("3 runs will be retried: 9 steps in total. 3 completed steps keep their outputs.").waitFor();
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
