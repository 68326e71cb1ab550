// @module-tag B-06
/** Triggers in the console: counters, the last error, and what a user can do. */
import { expect, test } from "vitest";
import { signedHeaders } from "../triggers/signed-headers.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize, CONTROLS_OFF_SCREEN } from "./support/sizes.js";
import { heartbeat } from "./support/workflows.js";

const KEY = "whsec_c2VjcmV0LXNlY3JldA==";
const here = site([heartbeat]);

async function send(id: string, body: string): Promise<number> {
  const headers = { "content-type": "application/json", ...signedHeaders(KEY, id, body) };
  return (await fetch(`${here.url}/api/v1/triggers/shop/events`, { method: "POST", headers, body })).status;
}

test("a user sees the events of a trigger, pauses, resumes and deletes it", async () => {
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/triggers`);
  await page.getByText("No triggers yet").waitFor();
  here.ledger.triggers.use({ secrets: { resolve: async () => ({ shop: KEY }) } });
  const source = { type: "webhook", secrets: ["shop"] };
  await here.ledger.triggers.put({ id: "shop", source, workflow: "heartbeat", filter: "event.data.n > 0" });
  expect([await send("a", '{"n":1}'), await send("a", '{"n":1}'), await send("b", '{"n":0}')]).toEqual([202, 200, 200]);
  expect(await send("c", "{")).toBe(400);
  const row = page.locator('[data-trigger="shop"]');
  await row.getByText("1 started, 1 repeated, 1 skipped").waitFor();
  await row.getByText("1 rejected").waitFor();
  await row.getByText("event: is not JSON.").waitFor();
  await tab.picture("triggers-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused", { exact: true }).waitFor();
  expect(await send("d", '{"n":1}')).toBe(503);
  await row.getByRole("button", { name: "Resume" }).click();
  await row.getByText("Active", { exact: true }).waitFor();
  await atEachSize(page, async (size) => expect(await page.evaluate(CONTROLS_OFF_SCREEN), size).toEqual([]));
  await row.getByRole("link", { name: "Last run" }).click();
  await page
    .getByRole("heading", { name: /heartbeat/ })
    .first()
    .waitFor();
  await page.goBack();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No triggers yet").waitFor();
  expectNoFaults(tab);
});
