// @module-tag U-33
/** The pages for operators: queue, workers, schedules and audit log. */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { afterAll, expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, nightly } from "./support/workflows.js";

/** Runs until the test ends. */
const ended = new AbortController();
const slow = workflow("month-end", { version: "3.0.0" }, (w) =>
  w.step("close-books", () => sleep(600_000, null, { signal: ended.signal }).catch(() => null)),
);
/** No worker serves this workflow. */
const orphan = workflow("legacy-import", { version: "0.9.0" }, (w) => w.step("read", () => 1));

const here = site([nightly, heartbeat, slow]);

afterAll(() => ended.abort()); // before the site is closed

test("the queue shows why each run waits and which runs hold the limit", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/queue`);
  await page.getByText("The queue is empty").waitFor();
  await tab.picture("queue-empty-light");
  await here.ledger.limits.set({ scope: "workflow", subject: "month-end", maxRunning: 1 });
  await here.ledger.limits.set({ scope: "tenant", subject: "*", maxRunning: 20 });
  const holder = await here.ledger.start(slow);
  await expect.poll(async () => (await here.client.getRun(holder.id)).status).toBe("RUNNING");
  const held = await here.ledger.start(slow);
  const waiting = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  const unserved = await here.ledger.start(orphan);
  const row = (id: string) => page.locator(`tr[data-run="${id}"]`);
  await row(held.id).locator('[data-reason="limit"]').getByText("Limit of workflow month-end: 1 of 1 in use").waitFor();
  expect(
    await row(held.id)
      .getByRole("link", { name: holder.id.slice(-8) })
      .count(),
  ).toBe(1);
  await row(waiting.id).locator('[data-reason="signal"]').getByText("Waiting for signal “release”").waitFor();
  await row(unserved.id).locator('[data-reason="worker"]').getByText("No worker for legacy-import 0.9.0").waitFor();
  expect(await row(holder.id).count()).toBe(0);
  const bar = page.locator('[data-limit="workflow month-end"]');
  await bar.getByText("1 of 1, full").waitFor();
  await bar.getByText("1 run waiting").waitFor();
  expect(await bar.getByRole("link").textContent()).toBe(holder.id.slice(-8));
  await page.getByRole("region", { name: "Fair share" }).getByText("1 running, 1 waiting, 2 queued").waitFor();
  await tab.pictureForReaders("queue");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^Running/ }).click();
  await page.waitForURL(/where=running/);
  await row(holder.id).getByText("Running on").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${here.url}/queue`);
  await row(held.id).waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await tab.picture("queue-390-dark");
  expectNoFaults(tab);
});

test("the workers page shows current runs and plans that no worker serves", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/workers`);
  await page
    .locator("[data-worker]")
    .getByRole("link", { name: /month-end [0-9a-f]{8}/ })
    .waitFor();
  await page.locator('[data-unserved="legacy-import"]').getByText("1 open run cannot continue").waitFor();
  await tab.picture("workers-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("link", { name: "View open runs" }).click();
  await page.waitForURL(/workflow=legacy-import/);
  await page.locator("[data-run]").first().waitFor();
  expect(await page.locator("[data-run]").count()).toBe(1);
  expectNoFaults(tab);
});

test("the audit log shows administrative actions and their actors", async () => {
  const tab = await openTab();
  const { page } = tab;
  await here.client.createKey({ name: "night shift", role: "operator" });
  await page.goto(`${here.url}/admin`);
  await page
    .getByRole("row", { name: /POST \/api\/v1\/keys|createKey/ })
    .first()
    .waitFor();
  expectNoFaults(tab);
});

test("schedules show their next times and can be paused and resumed", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${here.url}/workflows/heartbeat?tab=schedules`);
  await page.getByText("No schedules.").waitFor();
  await here.ledger.schedules.put({ workflow: heartbeat, id: "pulse", cron: "0 2 * * *", timeZone: "Europe/Berlin" });
  await page.reload();
  const card = page.locator('[data-schedule="pulse"]');
  await card.getByText("0 2 * * * in Europe/Berlin").waitFor();
  await expect.poll(() => card.getByRole("list", { name: "Next times" }).getByRole("listitem").count()).toBe(5);
  await card.getByRole("button", { name: "Pause" }).click();
  await card.getByRole("button", { name: "Resume" }).waitFor();
  expect((await here.ledger.schedules.get("pulse"))?.pausedAt).not.toBeNull();
  await tab.picture("schedules-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await card.getByRole("button", { name: "Resume" }).click();
  await card.getByText("active").waitFor();
  expectNoFaults(tab);
});
