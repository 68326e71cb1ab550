// @module-tag U-35
/** `npm start` on an empty machine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { freshFolder, startNpmStart } from "@runledger/test-support/runledger-command";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";

test("the first start shows realistic runs, and one click opens a run with its actions", async () => {
  const folder = freshFolder();
  const dev = startNpmStart("--port", "0", "--store", `embedded:${folder}/data`);
  const url = /http:\S+/.exec(await dev.says(/Console +http:\/\/127\.0\.0\.1:\d+\//))![0];
  await dev.says("Stop ");
  const address = `${url}?token=${readFileSync(join(folder, "data", "token"), "utf8").trim()}`; // a terminal would show it
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
  dev.kill("SIGINT");
  await dev.says("Stopping after running steps finish");
  await sleep(300); // signals that close together count as one
  dev.kill("SIGINT"); // releases the running steps, which take half a minute
  await dev.ended;
});
