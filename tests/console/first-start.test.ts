/** `npm start` on an empty machine, and what a newcomer sees of it. */
import { expect, test } from "vitest";
import { freshFolder, startNpmStart } from "../support/runledger-command.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";

test("[U-35] the first start shows runs that mean something, and one click leads to what can be done", async () => {
  const folder = freshFolder();
  const dev = startNpmStart("--port", "0", "--store", `embedded:${folder}/data`);
  const address = (await dev.says(/http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/)).trim();
  await dev.says("Stop ");
  const tab = await openTab({ isKnown: false });
  const { page } = tab;
  await page.goto(address);
  for (const status of ["COMPLETED", "FAILED", "RUNNING"])
    await page.locator(`[data-run] [data-status="${status}"]`).first().waitFor();
  expect(page.url()).not.toContain("token");
  await tab.picture("first-start-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  const failed = page.locator("[data-run]", { has: page.locator('[data-status="FAILED"]') }).first();
  await failed.getByRole("link").first().click();
  await page.getByRole("button", { name: "Retry", exact: true }).waitFor();
  await page.locator(".error-box").first().waitFor();
  await tab.picture("first-failure-light");
  expectNoFaults(tab);
  for (const signal of ["SIGINT", "SIGINT"] as const) dev.kill(signal); // the second hands over what is under way
  await dev.ended;
});
