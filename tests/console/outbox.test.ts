// @module-tag B-03
/** Subscriptions and dead letters in the console, with a real receiver. */
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { LineageReceiver } from "../outbox/lineage-receiver.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { receive } from "./support/receive.js";
import { site } from "./support/site.js";
import { atEachSize, CONTROLS_OFF_SCREEN } from "./support/sizes.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat]);

test("a dead letter is inspected, redriven and dropped", { tags: ["B-04"] }, async () => {
  const receiver = await receive(here);
  receiver.answer = () => 422;
  const bus = { type: "webhook", url: receiver.url, secrets: ["hook"] };
  await here.client.putSubscription("strict", { bus, maxAttempts: 1 });
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${here.url}/outbox`);
  const run = await here.ledger.start(heartbeat);
  const letter = page.locator(`[data-dead-letter="${run.id}"]`);
  await letter.getByText("The webhook answered 422").waitFor();
  await page.locator('[data-subscription="strict"]').getByText("1 dead letter").waitFor();
  await tab.picture("outbox-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await letter.getByRole("button", { name: /^Inspect/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Event \d+ for strict/ });
  await dialog.getByText("RunQueued").waitFor();
  await tab.picture("outbox-dead-letter-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Drop…" }).click();
  await dialog.getByRole("button", { name: "Drop this event permanently" }).click();
  await dialog.waitFor({ state: "detached" });
  await letter.locator('[data-label="Event"]', { hasText: /^\s*2/ }).waitFor(); // the next event is refused, too
  receiver.answer = () => 204;
  await letter.getByRole("button", { name: /^Inspect/ }).click();
  await dialog.getByText("RunStarted").waitFor();
  await dialog.getByRole("button", { name: "Redrive" }).click();
  await page.getByText("No dead letters.").waitFor();
  expect(receiver.events.filter(({ data }) => data.runId === run.id)[0]?.data.runSeq).toBe(2);

  await atEachSize(page, async (size) => {
    expect(await page.evaluate(CONTROLS_OFF_SCREEN), size).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size).toBe(true);
    await tab.picture(`outbox-${size}-dark`);
  });
  const row = page.locator('[data-subscription="strict"]');
  await row.getByRole("button", { name: "More actions for strict" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page
    .getByRole("dialog", { name: /^Delete/ })
    .getByRole("button", { name: "Delete" })
    .click();
  await row.waitFor({ state: "detached" });
  expectNoFaults(tab);
});

test("a user sends lineage to a receiver, with the name of its API key", { tags: ["D-30"] }, async () => {
  await receive(here); // delivers, with the secret lineage-hook
  const lineage = await new LineageReceiver().start();
  onTestFinished(() => lineage.stop());
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/outbox`);
  await page.getByRole("button", { name: "Create subscription" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create subscription" });
  await dialog.getByLabel("Name", { exact: true }).fill("lineage");
  await dialog.getByLabel("Bus").selectOption("openlineage");
  await dialog.getByLabel("URL").fill(lineage.url);
  await dialog.getByLabel("Namespace of jobs").fill("prod");
  await dialog.getByLabel("Name of the API key").fill("lineage-hook");
  await tab.picture("outbox-lineage-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press("Enter");
  const row = page.locator('[data-subscription="lineage"]');
  await row.getByText(`OpenLineage ${lineage.url}`).waitFor();
  await row.getByRole("button", { name: "Test" }).click();
  await until(() => lineage.events.some(({ job }) => job.name === "runledger.test"));
  const run = await here.ledger.start(heartbeat);
  await run.result();
  await until(() => lineage.events.some(({ job, eventType }) => job.name === "heartbeat" && eventType === "COMPLETE"));
  expect(new Set(lineage.events.map(({ job }) => job.namespace))).toEqual(new Set(["prod"]));
  expectNoFaults(tab);
});
