// @module-tag B-03
/** A subscription that a user creates, with a receiver that is down for a while. */
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import type { Receiver } from "../outbox/receiver.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { receive } from "./support/receive.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat]);

const isInOrder = ({ events }: Receiver, runId: string): boolean => {
  const seqs = events.filter(({ data }) => data.runId === runId).map(({ data }) => data.runSeq);
  const first = [...new Set(seqs)];
  return first.every((seq, index) => seq === index + 1);
};

test(
  "a webhook that a user creates receives every event signed and in order, although it is down meanwhile",
  { tags: ["B-04"] },
  async () => {
    const receiver = await receive(here);
    const tab = await openTab();
    const { page } = tab;
    await page.goto(`${here.url}/outbox`);
    await page.getByText("No subscriptions yet").waitFor();
    await tab.picture("outbox-empty-light");
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole("button", { name: "Create subscription" }).click();
    const dialog = page.getByRole("dialog", { name: "Create subscription" });
    await dialog.getByLabel("Name", { exact: true }).fill("billing");
    await dialog.getByLabel("URL").fill("http://192.168.0.1/hook?x");
    await dialog.getByLabel("Names of signing keys").fill("hook");
    await dialog.getByLabel("Labels").fill("team");
    await dialog.getByText("team is not a label. Use name=value.").waitFor();
    await dialog.getByLabel("Labels").fill("");
    await dialog.getByLabel("Workflows").fill("heartbeat");
    await dialog.getByLabel("Start from").selectOption("beginning");
    await tab.picture("outbox-create-light");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Enter"); // the form is submitted from a field
    const row = page.locator('[data-subscription="billing"]');
    await row.waitFor();
    await row.getByRole("button", { name: "Test" }).click();
    await page.getByText("belongs to an internal network").first().waitFor();

    await row.getByRole("button", { name: "More actions for billing" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const editing = page.getByRole("dialog", { name: "Edit billing" });
    await editing.getByLabel("URL").fill(receiver.url);
    await editing.getByRole("button", { name: "Save" }).click();
    await editing.waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Test" }).click();
    await until(() => receiver.events.some(({ type }) => type === "dev.runledger.Test"));

    const first = await here.ledger.start(heartbeat);
    await first.result();
    const headOf = async (runId: string) => (await here.ledger.store.fetchHeads([runId]))[0]!.headSeq;
    const received = (runId: string) =>
      new Set(receiver.events.filter((each) => each.data.runId === runId).map((each) => each.id)).size;
    await until(async () => received(first.id) === (await headOf(first.id)));

    await receiver.stop();
    const runs = await Promise.all(Array.from({ length: 5 }, () => here.ledger.start(heartbeat)));
    await Promise.all(runs.map((run) => run.result())); // no append waits for the receiver
    await row.getByText("Unavailable").waitFor();
    await row.getByText(/[1-5] runs?, oldest/).waitFor();
    await row.getByText("The webhook cannot be reached").waitFor();
    await tab.picture("outbox-unavailable-light");
    await page.goto(`${here.url}/health`);
    await page
      .getByRole("region", { name: "Outbox" })
      .getByText(/runs?, oldest .*, unavailable/)
      .waitFor();
    await tab.picture("health-outbox-light");
    expect(await accessibilityFaults(page)).toEqual([]);

    await receiver.start();
    await page.goto(`${here.url}/outbox`);
    await row.getByText("Active").waitFor();
    await row.getByText("None").waitFor();
    for (const { id } of [first, ...runs]) {
      await until(async () => received(id) === (await headOf(id)));
      expect(isInOrder(receiver, id)).toBe(true);
    }
    expect(receiver.unsigned).toBe(0);

    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    await row.getByRole("button", { name: "Resume" }).click();
    await row.getByText("Active").waitFor();
    const before = receiver.requests.length;
    await row.getByRole("button", { name: "More actions for billing" }).click();
    await page.getByRole("menuitem", { name: "Rewind" }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("dialog", { name: "Rewind billing?" }).getByRole("button", { name: "Rewind" }).click();
    await until(() => receiver.requests.length > before);
    expectNoFaults(tab);
  },
);
