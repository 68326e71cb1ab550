/** What operators look at: who waits and why, who runs what, and when runs begin by themselves. */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { afterAll, expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, nightly } from "./support/workflows.js";

/** Ends when the test does. */
const ended = new AbortController();
const slow = workflow("month-end", { version: "3.0.0" }, (w) =>
  w.step("close-books", () => sleep(600_000, null, { signal: ended.signal }).catch(() => null)),
);
/** No worker has it. */
const orphan = workflow("legacy-import", { version: "0.9.0" }, (w) => w.step("read", () => 1));

const here = site([nightly, heartbeat, slow]);
afterAll(() => ended.abort()); // before the site is closed

test("[U-33] the queue says for each run that waits what for, and who holds the limit", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/queue`);
  await page.getByText("Nobody waits").waitFor();
  await tab.picture("queue-empty-light");
  await here.ledger.limits.set({ scope: "workflow", subject: "month-end", maxRunning: 1 });
  await here.ledger.limits.set({ scope: "tenant", subject: "*", maxRunning: 20 });
  const holder = await here.ledger.start(slow);
  await expect.poll(async () => (await here.client.getRun(holder.id)).status).toBe("RUNNING");
  const held = await here.ledger.start(slow);
  const waiting = await here.ledger.start(nightly, { day: "2026-11-14" });
  const unserved = await here.ledger.start(orphan);
  const row = (id: string) => page.locator(`tr[data-run="${id}"]`);
  await row(held.id).locator('[data-reason="limit"]').getByText("Limit of workflow month-end: 1 of 1 taken").waitFor();
  expect(
    await row(held.id)
      .getByRole("link", { name: holder.id.slice(-8) })
      .count(),
  ).toBe(1);
  await row(waiting.id).locator('[data-reason="signal"]').getByText("Waits for signal “release”").waitFor();
  await row(unserved.id).locator('[data-reason="worker"]').getByText("No worker for legacy-import 0.9.0").waitFor();
  expect(await row(holder.id).count()).toBe(0);
  const bar = page.locator('[data-limit="workflow month-end"]');
  await bar.getByText("1 of 1, full").waitFor();
  await bar.getByText("1 run waits for it").waitFor();
  expect(await bar.getByRole("link").textContent()).toBe(holder.id.slice(-8));
  await page.getByRole("region", { name: "Fair share" }).getByText("1 running, 1 waiting, 2 queued").waitFor();
  await tab.pictureForReaders("queue");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^Running/ }).click();
  await page.waitForURL(/where=running/);
  await row(holder.id).getByText("Runs on").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${here.url}/queue`);
  await row(held.id).waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await tab.picture("queue-390-dark");
  expectNoFaults(tab);
});

test("[U-33] workers are shown with what they drive, and what no worker can run", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/workers`);
  await page
    .locator("[data-worker]")
    .getByRole("link", { name: /month-end [0-9a-f]{8}/ })
    .waitFor();
  await page.locator('[data-unserved="legacy-import"]').getByText("1 open run cannot go on").waitFor();
  await tab.picture("workers-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("link", { name: "Its open runs" }).click();
  await page.waitForURL(/workflow=legacy-import/);
  await page.locator("[data-run]").first().waitFor();
  expect(await page.locator("[data-run]").count()).toBe(1);
  expectNoFaults(tab);
});

test("[U-33] an admin sees who administered what", async () => {
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

test("[U-33] a workflow's schedules show their next times, and are paused and resumed", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${here.url}/workflows/heartbeat?tab=schedules`);
  await page.getByText("It runs when somebody starts it").waitFor();
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

test("the health page answers whether all is well, and says what to do where it is not", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/health`);
  await page.getByRole("heading", { name: "Everything is fine" }).waitFor();
  await page.getByRole("region", { name: "Projector" }).getByText("behind the log").waitFor();
  await page.getByRole("region", { name: "Workers" }).getByText("alive").waitFor();
  await page.getByText("None since it was started.").waitFor();
  for (let second = 0; second < 2; second++) await (await here.ledger.start(heartbeat)).result();
  await page.locator('[aria-label="Appends of late"]').waitFor();
  await tab.picture("health-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await tab.picture("health-390-dark");
  expectNoFaults(tab);
  await page.route("**/api/v1/health", async (route) => {
    const health = (await (await route.fetch()).json()) as object;
    const alert = {
      at: new Date().toISOString(),
      code: "PROJECTOR_GAP_DETECTED",
      severity: "P1",
      message: "run-7 has a gap after seq 12",
      remedy: "Run npx runledger store verify.",
    };
    await route.fulfill({ json: { ...health, workers: { alive: 0, lost: 2 }, alerts: [alert] } });
  });
  await page.getByRole("heading", { name: "1 thing to look at" }).waitFor();
  await page.getByText("No worker is alive.").waitFor();
  await page.locator('[data-alert="PROJECTOR_GAP_DETECTED"]').getByText("What to do: Run npx").waitFor();
  await tab.picture("health-faults-390-dark");
});
