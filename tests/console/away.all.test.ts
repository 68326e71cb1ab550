// @module-tag R-30
/** The server goes away while the console is open. Users stay in the app, and everything loads when it is back. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize } from "./support/sizes.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat]);

/** Fails if the browser has left the app. */
async function inTheApp(page: Page): Promise<void> {
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

test("navigating while the server is away shows a message and loads the page when the server is back", async () => {
  const run = await here.ledger.start(heartbeat);
  await run.result();
  const own = await here.serve();
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  await page.goto(`${own.url}/runs`);
  await page.locator(`[data-run="${run.id}"]`).waitFor();
  await own.close();
  for (const name of ["Workflows", "Health", "Admin"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("alert").getByText("Cannot reach the server").first().waitFor();
    await page.getByRole("button", { name: "Retry" }).first().waitFor();
    await inTheApp(page);
  }
  await page.goBack();
  await page.getByRole("alert").getByText("Cannot reach the server").first().waitFor();
  await atEachSize(page, async (size) => {
    await page.getByRole("button", { name: "Retry" }).first().click({ trial: true });
    await tab.picture(`away-${size}-light`);
  });
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByText("Cannot reach the server").first().waitFor();
  await page.evaluate(`history.pushState({}, "", "/runs/${run.id}"); dispatchEvent(new PopStateEvent("popstate"));`);
  await page.getByRole("alert").getByText("Cannot reach the server").first().waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  await inTheApp(page);
  const again = await here.serve(Number(new URL(own.url).port));
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await again.close();
  await page.getByRole("tab", { name: "Graph" }).click(); // its code has not been loaded
  await page.getByText("Cannot reach the server").first().waitFor();
  const back = await here.serve(Number(new URL(own.url).port));
  await page.locator(".react-flow__node").waitFor();
  await inTheApp(page);
  await page.getByRole("link", { name: "Health", exact: true }).click();
  await page.locator("[data-health]").waitFor();
  await page.close();
  await back.close();
});
