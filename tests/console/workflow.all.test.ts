// @module-tag U-33
/** The page of a workflow: history, versions and starting a run. */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { z } from "zod";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";

const order = z.object({ day: z.string().describe("Which day to load"), full: z.boolean().default(false) });

const older = workflow("orders", { version: "1.0.0", input: order }, (w) => {
  const extract = w.step("extract", async ({ input }) => {
    await sleep(5 + Number(input.day) * 4);
    return { rows: 3 };
  });
  return w.step("publish", { needs: { extract } }, ({ needs }) => needs.extract.rows);
});

const newer = workflow("orders", { version: "1.1.0", input: order }, (w) => {
  const extract = w.step("extract", { retry: { attempts: 2, delay: "1ms" } }, async ({ input }) => {
    await sleep(10 + ((Number(input.day) * 7) % 40));
    return { day: input.day };
  });
  const check = w.step("check", { needs: { extract } }, async ({ needs }) => {
    await sleep((Number(needs.extract.day) * 11) % 30);
    if (needs.extract.day === "bad") throw new Error("row 17 has no price");
    return 1;
  });
  return w.step("publish", { needs: { check } }, ({ needs }) => needs.check);
});

const here = site([older, newer]);
const OLDER = 6;
const NEWER = 18;
/** The last run fails. */
const LAST = OLDER + NEWER;

test("the grid shows the last runs by step, and a cell opens the step of its run", async () => {
  const tab = await openTab();
  const { page } = tab;
  for (let day = 0; day < OLDER; day++) await (await here.ledger.start(older, { input: { day: `${day}` } })).result();
  for (let day = 0; day < NEWER; day++) await (await here.ledger.start(newer, { input: { day: `${day}` } })).result();
  const bad = await here.ledger.start(newer, { input: { day: "bad" } });
  await bad.result().catch(() => {});
  await page.goto(`${here.url}/workflows`);
  await page.getByRole("link", { name: "orders", exact: true }).click();
  await page.locator(`[data-cell="2:${LAST}"][data-status="FAILED"]`).waitFor();
  const headers = page.locator(".history-scroll").getByRole("rowheader");
  expect(await headers.allTextContents()).toEqual([expect.stringContaining("Duration"), "extract", "check", "publish"]);
  expect(await page.locator('[data-cell^="0:"]').count()).toBe(LAST + 1);
  expect(await page.locator('[data-cell="2:0"]').count()).toBe(0); // the older version had no such step
  expect(await page.locator(`[data-cell="3:${LAST}"]`).getAttribute("data-status")).toBe("SKIPPED");
  await page.locator(".percentile.p95").waitFor();
  await page.locator('[data-path="publish"]').waitFor();
  await page.locator(`[data-cell="2:${LAST}"]`).hover();
  await page.locator(".cell-note").getByText(bad.id).waitFor();
  await tab.pictureForReaders("workflow");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator(`[data-cell="0:${LAST}"]`).focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(60);
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/runs/${bad.id}\\?step=check`));
  await page.getByText("row 17 has no price").first().waitFor();
  expectNoFaults(tab);
});

test("versions are compared step by step, and a form from the input schema starts a run", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${here.url}/workflows/orders`);
  await page.locator('[data-change="added"]').getByText("check").waitFor();
  await page.locator('[data-change="changed"]').getByText("retry.attempts 2").waitFor();
  await tab.picture("workflow-dark");
  await page.getByLabel("Compare to 1.0.0").check();
  await page.getByLabel("Compare from 1.1.0").check();
  await page.locator('[data-change="removed"]').getByText("check").waitFor();
  await page.waitForURL(/from=1.1.0&to=1.0.0|to=1.0.0&from=1.1.0/);
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("This field is required.").waitFor();
  await page.getByLabel("day").fill("2026-11-14");
  await page.getByLabel("full").check();
  await tab.picture("start-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/runs\/run_/);
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  const runId = new URL(page.url()).pathname.split("/").at(-1)!;
  const [queued] = (await here.client.listEvents(runId, { limit: 1 })).items;
  expect(queued?.eventData).toMatchObject({ input: { day: "2026-11-14", full: true } });
  expectNoFaults(tab);
});

test("a workflow fits on a phone and reports when it cannot be loaded", async () => {
  const tab = await openTab({ viewport: { width: 390, height: 844 } });
  const { page } = tab;
  await page.goto(`${here.url}/workflows/orders`);
  await page.locator('[data-cell="0:0"]').waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await tab.picture("workflow-390-light");
  expectNoFaults(tab);
  const api = "**/api/v1/workflows/**";
  await page.route(api, (route) => route.abort());
  await page.getByText("Cannot reach the server. Showing the last known data").waitFor();
  await page.unroute(api);
  await page.goto(`${here.url}/workflows/unheard-of`);
  await page.getByRole("alert").getByText("WORKFLOW_NOT_FOUND").waitFor();
});
