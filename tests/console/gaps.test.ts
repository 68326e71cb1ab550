// @module-tag H-10
/** A run whose append authority leaves gaps in its numbers (P10): the page follows gaps that fill late, and dead ones. */
import { newEvent } from "@runledger/contracts";
import { drawNumber, storeDrawn } from "@runledger/test-support/drawn-events";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openTab, type Tab } from "./support/page.js";
import { site } from "./support/site.js";

const here = site([], { authority: "sequence" });

const started = (runId: string, step: string) =>
  newEvent({ runId, eventType: "StepStarted", stepId: step, planVersion: "1" });

/** The page shows events 1 to 3. Number 4 is drawn, and events 5 and 6 are stored. */
async function openWithGap(runId: string): Promise<Tab> {
  const { ledger, databaseUrl, url } = here;
  const append = (...steps: readonly string[]) => ledger.store.appendEvents(steps.map((step) => started(runId, step)));
  await ledger.store.appendEvents([newEvent({ runId, eventType: "RunStarted", planVersion: "1" })]);
  await append("s2", "s3");
  expect(await drawNumber(databaseUrl, runId)).toBe(4);
  await append("s5", "s6");
  const tab = await openTab();
  await tab.page.goto(`${url}/runs/${runId}`);
  await tab.page.locator('[data-step="s3"]').waitFor();
  await tab.page.getByRole("alert").getByText("cannot read this run completely").waitFor();
  expect(await steps(tab.page)).toEqual(["s2", "s3"]);
  return tab;
}

const STEPS = "Array.from(document.querySelectorAll('.run-view [data-step]'), (row) => row.dataset.step)";

const steps = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>(STEPS);

async function shows(page: Page, ...expected: readonly string[]): Promise<void> {
  await expect.poll(() => steps(page)).toEqual(expected);
}

/** These runs have no plan, so the page finds none. */
const expectFewFaults = ({ faults }: Tab): void =>
  expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([]);

const rewind = (page: Page, seq: number): Promise<void> => page.getByLabel("Sequence").fill(String(seq));

test("a gap that fills late: the page adds the late event and those after it, in order", async () => {
  const tab = await openWithGap("late");
  const { page } = tab;
  await storeDrawn(here.databaseUrl, started("late", "s4"), 4);
  await shows(page, "s2", "s3", "s4", "s5", "s6");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await rewind(page, 4);
  await shows(page, "s2", "s3", "s4");
  expectFewFaults(tab);
});

test("a dead gap: the page continues after it, live and after a reload, and rewinds across it", async () => {
  const tab = await openWithGap("dead");
  const { page } = tab;
  await here.ledger.store.settling!.settleSeq({ runId: "dead", seq: 4 });
  await shows(page, "s2", "s3", "s5", "s6");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await here.ledger.store.appendEvents([started("dead", "s7")]);
  await shows(page, "s2", "s3", "s5", "s6", "s7");

  await page.reload();
  await shows(page, "s2", "s3", "s5", "s6", "s7");
  for (const [seq, ...shown] of [
    [5, "s2", "s3", "s5"],
    [4, "s2", "s3"],
    [2, "s2"],
  ] as const) {
    await rewind(page, seq);
    await shows(page, ...shown);
  }
  await page.getByRole("tab", { name: /^Events/ }).click();
  await page.getByLabel("Go to latest event").click();
  await page.locator('.event-row[data-seq="7"]', { hasText: "s7" }).waitFor();
  await page.locator('.event-row[data-seq="4"]', { hasText: "unused number" }).click();
  await page.locator(".inspector").getByText("No event has this number.").waitFor();
  await tab.picture("gap-light");
  expectFewFaults(tab);
});
