// @module-tag R-30
/** The page of a run follows the clock, and shows idle time as what it is. Motion is on, as for most users. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { retriedEvents, retriedPlan, writeRun } from "./support/large.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { atEachSize, CONTROLS_OFF_SCREEN } from "./support/sizes.js";
import { child, hold, holding, longName, parent } from "./support/slow-workflows.js";
import { nightly } from "./support/workflows.js";

const here = site([holding, nightly, parent, child, longName]);

const text = (page: Page, selector: string) => page.locator(selector).first().textContent();

/** Resolves when the text of an element has changed this many times. */
async function changes(page: Page, selector: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    const before = await text(page, selector);
    await expect.poll(() => text(page, selector)).not.toBe(before);
  }
}

test("a running step's bar, its duration and the run's follow the clock while no event arrives", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  const run = await here.ledger.start(holding);
  await page.goto(`${here.url}/runs/${run.id}?step=hold`);
  await page.locator('[data-step="hold"] .bar.running').waitFor();
  const { lastEventSeq } = await here.client.getRun(run.id);
  await changes(page, ".attempt .number", 1);
  await atEachSize(page, async () => {
    await changes(page, '[data-step="hold"] .step-note', 1);
    await changes(page, "[data-elapsed]", 1);
  });
  const title = page.locator('[data-step="hold"] .bar.running');
  const before = await title.getAttribute("title");
  await expect.poll(() => title.getAttribute("title")).not.toBe(before);
  expect((await here.client.getRun(run.id)).lastEventSeq).toBe(lastEventSeq);
  hold.release();
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  expectNoFaults(tab);
});

/** The number of times the page computed styles. An animation causes 60 of them per second. */
async function styleCounts(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "RecalcStyleCount")!.value;
  };
}

test("running runs and steps cost nothing between two ticks of the clock", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  const run = await here.ledger.start(holding);
  const animations = `document.getAnimations().filter((one) => one.effect.getComputedTiming().iterations === Infinity).length`;
  for (const [path, ticking] of [
    ["/runs", `[data-run="${run.id}"] .c-duration`],
    [`/runs/${run.id}`, "[data-elapsed]"],
  ] as const) {
    await page.goto(`${here.url}${path}`);
    await page.locator('[data-status="RUNNING"]').first().waitFor();
    await changes(page, ticking, 2);
    expect(await page.evaluate(animations)).toBe(0);
    const count = await styleCounts(page);
    const before = await count();
    await changes(page, ticking, 3);
    expect((await count()) - before).toBeLessThan(60); // an endless animation takes at least 120 in this time
    await atEachSize(page, async () => expect(await page.evaluate(animations)).toBe(0));
  }
  hold.release();
  await run.result();
  expectNoFaults(tab);
});

/** Returns the width of a bar as a fraction of its track. */
async function shareOf(page: Page, step: string, attempt: string): Promise<number> {
  const row = page.locator(`[data-step="${step}"]`);
  const bar = (await row.locator(`.bar[data-attempt="${attempt}"]`).boundingBox())!;
  return bar.width / (await row.locator(".step-track").boundingBox())!.width;
}

test("idle time neither flattens the timeline nor counts as work", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  await writeRun(here.ledger, "run_late_retry", retriedPlan, retriedEvents());
  await page.goto(`${here.url}/runs/run_late_retry`);
  await page.locator(".idle-label").first().waitFor();
  expect(await page.locator(".idle-label").allTextContents()).toEqual(["44 m 00 s idle", "2 d 0 h idle"]);
  await atEachSize(page, async (size) => {
    expect(await shareOf(page, "load", "1")).toBeGreaterThan(0.2);
    expect(await shareOf(page, "load", "2")).toBeGreaterThan(0.3);
    expect(await text(page, "[data-elapsed]")).toBe("5.0 s");
    await tab.picture(`idle-${size}-light`);
  });
  expect(await page.locator("[data-elapsed]").getAttribute("title")).toContain("2 d 0 h since the start");
  await page.locator(".fact", { hasText: "idle" }).getByText("2 d 0 h").waitFor();
  await tab.picture("idle-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  const axis = (await page.locator(".axis-track").boundingBox())!;
  await page.mouse.move(axis.x + axis.width * 0.35, axis.y + 10);
  await page.mouse.down();
  await page.mouse.move(axis.x + axis.width * 0.9, axis.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/zoom=\d+-\d+/);
  await page.locator('[data-step="load"] .bar[data-attempt="2"]').waitFor();
  await tab.picture("idle-zoom-light");
  expectNoFaults(tab);
});

test("run actions are on the screen and the inspector is usable at every size", async () => {
  const tab = await openTab({ reducedMotion: "no-preference", colorScheme: "dark" });
  const { page } = tab;
  const waiting = await here.ledger.start(longName);
  await page.goto(`${here.url}/runs/${waiting.id}?step=a-step-with-a-long-name`);
  const cancel = page.getByRole("button", { name: "Cancel" });
  await cancel.waitFor();
  await page.getByRole("tab", { name: "Attempts" }).waitFor();
  for (const width of [641, 700, 900, 1001, 1010, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(CONTROLS_OFF_SCREEN)).toEqual([]);
    await cancel.click({ trial: true });
  }
  await atEachSize(page, async (size) => {
    expect(await page.evaluate(CONTROLS_OFF_SCREEN)).toEqual([]);
    for (const name of ["Pause", "Signal", "Cancel"]) await page.getByRole("button", { name }).click({ trial: true });
    for (const name of ["Input", "Artifacts", "Attempts"]) await page.getByRole("tab", { name }).click();
    for (const part of [".inspector-panel:not([hidden])", ".timeline-scroll"])
      await expect.poll(async () => (await page.locator(part).boundingBox())?.height ?? 0).toBeGreaterThan(90);
    await tab.picture(`run-${size}-dark`);
  });
  expect(await accessibilityFaults(page)).toEqual([]);
  await here.ledger.act(waiting.id, "CANCEL");
  expectNoFaults(tab);
});

test("parent and child runs link to each other, and the child's input is its own", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  const run = await here.ledger.start(parent, { input: { order: 7 } });
  await run.result();
  await page.goto(`${here.url}/runs/${run.id}?step=deliver&tab=input`);
  const inspector = page.locator(".inspector");
  await inspector.getByText("Input of the child run").waitFor();
  await inspector.locator(".json-line", { hasText: "parcel" }).last().getByText("parcel of order 7").waitFor();
  expect(await inspector.getByText("order", { exact: true }).count()).toBe(0); // the parent's input
  await tab.picture("child-step-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await atEachSize(page, async () => {
    expect(await page.evaluate(CONTROLS_OFF_SCREEN)).toEqual([]);
    await inspector.locator(".child-run").getByRole("link").click({ trial: true });
  });
  const link = inspector.locator(".child-run", { hasText: "Completed" }).getByRole("link");
  const childId = (await link.getAttribute("title"))!;
  await link.click();
  await page.locator(".run-id", { hasText: childId }).waitFor();
  await page.locator(".fact", { hasText: "child of" }).getByRole("link").click();
  await page.locator(".run-id", { hasText: run.id }).waitFor();
  await page.waitForURL(/step=deliver/);
  await page.getByRole("link", { name: "Open the child run of deliver" }).click();
  await page.locator(".run-id", { hasText: childId }).waitFor();
  expectNoFaults(tab);
});

test("a run that waits does not count as working", async () => {
  const tab = await openTab({ reducedMotion: "no-preference" });
  const { page } = tab;
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
  await page.locator(".fact", { hasText: "idle" }).waitFor();
  const worked = await text(page, "[data-elapsed]");
  await changes(page, ".fact:has-text('idle') dd", 2);
  expect(await text(page, "[data-elapsed]")).toBe(worked);
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(tab);
});
