// @module-tag U-34
/** Large runs must not be slow. The tests assert bytes and elements, and record times. */
import { mkdirSync, statSync, readdirSync, writeFileSync } from "node:fs";
import type { Page, Response } from "playwright-core";
import type { RunHandle } from "runledger";
import { afterAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { countingProxy } from "./support/counting-proxy.js";
import { eachEvents, eachPlan, wideEvents, widePlan, writeRun } from "./support/large.js";
import { projected, rewindLongRun } from "./support/long-run.js";
import { accessibilityFaults, expectNoFaults, openTab, type Tab } from "./support/page.js";
import { site } from "./support/site.js";
import { nightly } from "./support/workflows.js";

const here = site([nightly]);
const timeout = 90_000;
/** A closed tab leaves once the browser has noticed. */
const PATIENT = { timeout: 240_000 };
const MOST_ELEMENTS = 3000;
const MOST_BYTES = 1_000_000;
const record: Record<string, number> = {};

afterAll(() => {
  mkdirSync(inRepository("reports/console"), { recursive: true });
  writeFileSync(inRepository("reports/console/sizes.json"), `${JSON.stringify(record, null, 2)}\n`);
  console.log(record);
});

const elements = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");

/** Returns the largest response so far with its URL. Streams are not counted. */
function largestAnswer({ page }: Tab): () => Promise<{ readonly bytes: number; readonly url: string }> {
  const answers: Promise<{ bytes: number; url: string }>[] = [];
  const weigh = async (response: Response) => ({
    bytes: (await response.body().catch(() => Buffer.alloc(0))).length,
    url: response.url(),
  });
  page.context().on("response", (response) => {
    if (/\/api\/v1\//.test(response.url()) && !/\/stream(\?|$)/.test(response.url())) answers.push(weigh(response));
  });
  return async () => (await Promise.all(answers)).reduce((most, one) => (one.bytes > most.bytes ? one : most));
}

const WATCH_TASKS = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask" });
`;

test(
  "a run of 10,000 steps is shown, opened and rewound with few elements and small responses",
  { timeout },
  async () => {
    const runId = "run_of_ten_thousand";
    const last = await writeRun(here.ledger, runId, eachPlan, eachEvents(10_000));
    const tab = await openTab();
    const { page } = tab;
    const largest = largestAnswer(tab);
    const begin = performance.now();
    await page.goto(`${here.url}/runs/${runId}`);
    await page.locator('[data-step="orders"]').waitFor();
    record["10,000 steps: ms until its timeline is there"] = Math.round(performance.now() - begin);
    await page.getByText("10,000 of 10,000").waitFor();
    await page.getByText("events loaded").waitFor({ state: "detached" });
    record["10,000 steps: ms until every event is there"] = Math.round(performance.now() - begin);
    await tab.picture("ten-thousand-light");
    await page.getByRole("button", { name: "Open orders" }).click();
    await page.locator('[data-step="orders/5/check"]').waitFor();
    expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
    await page.evaluate(WATCH_TASKS);
    const slider = (await page.getByRole("slider", { name: "Sequence" }).boundingBox())!;
    const y = slider.y + slider.height / 2;
    await page.mouse.move(slider.x + slider.width - 8, y);
    await page.mouse.down();
    for (let share = 1; share > 0.3; share -= 0.02) await page.mouse.move(slider.x + slider.width * share, y);
    await page.mouse.up();
    await page.waitForURL(({ searchParams }) => Number(searchParams.get("seq") ?? last) < last / 2);
    record["10,000 steps: ms of the longest task while dragging"] = Math.round(await page.evaluate("window.longest"));
    await page.locator('.run-head [data-status="RUNNING"]').waitFor();
    expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
    const { bytes, url } = await largest();
    record["10,000 steps: bytes of the largest answer"] = bytes;
    expect(bytes, url).toBeLessThan(MOST_BYTES);
    expectNoFaults(tab);
  },
);

test("a graph of 2,000 nodes renders at most 300, laid out in a worker", { timeout }, async () => {
  const runId = "run_of_a_wide_plan";
  await writeRun(here.ledger, runId, widePlan(2000), wideEvents(2000));
  await projected(here, runId);
  const tab = await openTab();
  const { page } = tab;
  const largest = largestAnswer(tab);
  const begin = performance.now();
  await page.goto(`${here.url}/runs/${runId}?view=graph&step=s1042`);
  await page.locator('.react-flow__node[data-id="s1042"]').waitFor();
  record["2,000 nodes: ms until the graph is there"] = Math.round(performance.now() - begin);
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toContainEqual(
    expect.stringContaining("layout-worker"),
  );
  const drawn = await page.locator(".react-flow__node").count();
  expect(drawn).toBeGreaterThan(20);
  expect(drawn).toBeLessThanOrEqual(300);
  expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
  await tab.picture("graph-wide-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  const { bytes, url } = await largest();
  expect(bytes, url).toBeLessThan(MOST_BYTES);
  expectNoFaults(tab);
});

test("a long run is rewound without loading it from the start", { tags: ["U-32"], timeout }, async () => {
  Object.assign(record, await rewindLongRun(here, 300));
});

test("a long run with many steps shows counts for steps inside containers", { tags: ["U-32"], timeout }, async () => {
  const runId = "run_of_thirty_thousand";
  await writeRun(here.ledger, runId, eachPlan, eachEvents(30_000));
  await projected(here, runId);
  const tab = await openTab();
  const { page } = tab;
  const largest = largestAnswer(tab);
  await page.goto(`${here.url}/runs/${runId}?seq=30000`);
  const orders = page.locator('[data-step="orders"]');
  const { groups } = await here.client.getRunOutline(runId, { atSeq: 30_000 });
  await orders.getByText(`${groups[0]!.done.toLocaleString("en")} of 30,000`).waitFor();
  await page.getByText("steps inside containers are summarized").waitFor();
  expect(await page.getByRole("button", { name: "Open orders" }).count()).toBe(0);
  const { bytes, url } = await largest();
  expect(bytes, url).toBeLessThan(MOST_BYTES);
  expectNoFaults(tab);
});

/** Hides a tab as a browser would. Playwright keeps every tab visible. */
async function turnTo(page: Page, visibility: "visible" | "hidden"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));`);
}

const row = (page: Page, runId: string, status: string) =>
  page.locator(`[data-run="${runId}"] [data-status="${status}"]`);
const head = (page: Page, status: string) => page.locator(`.run-head [data-status="${status}"]`);

async function release(run: RunHandle<unknown, { release: { by: string } }>): Promise<void> {
  await run.signal("release", { by: "you" });
  await run.result();
}

test("a browser has one stream for all its tabs", { timeout }, async () => {
  const server = await here.serve();
  const proxy = await countingProxy(server.url);
  const start = (day: string) => here.ledger.start(nightly, { input: { day } });
  const runs = [await start("2026-11-11"), await start("2026-11-12"), await start("2026-11-13")] as const;
  const tab = await openTab();
  const another = () => tab.page.context().newPage();
  const [list, ...pages] = [tab.page, await another(), await another(), await another()] as const;
  await list.goto(`${proxy.url}/runs`);
  for (const [index, page] of pages.entries()) {
    await page.goto(`${proxy.url}/runs/${runs[index]!.id}`);
    await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
    await page.locator('[data-connection="connected"]').waitFor();
  }
  await expect.poll(proxy.open, PATIENT).toBe(1);
  const [first, second, third] = pages;

  // Each tab has its own updates, and the list has all of them.
  await release(runs[0]);
  await Promise.all([head(first, "COMPLETED").waitFor(), row(list, runs[0].id, "COMPLETED").waitFor()]);
  expect(await head(second, "COMPLETED").count()).toBe(0);

  // Visible tabs miss nothing when other tabs close or the server restarts.
  await turnTo(second, "hidden");
  await first.close();
  await server.close();
  for (const page of [list, third]) await page.locator('[data-connection="lost"]').waitFor();
  await Promise.all([release(runs[1]), release(runs[2])]);
  const again = await here.serve(Number(new URL(server.url).port));
  await head(third, "COMPLETED").waitFor();
  for (const { id } of runs) await row(list, id, "COMPLETED").waitFor();
  await expect.poll(proxy.open, PATIENT).toBe(1);
  const later = await start("2026-11-14");
  await list.locator(`[data-run="${later.id}"]`).waitFor();
  await turnTo(second, "visible");
  await head(second, "COMPLETED").waitFor();
  await expect.poll(proxy.open, PATIENT).toBe(1);

  // Across all streams, each event arrived once and in order.
  for (const { id } of [runs[0], runs[2]]) {
    const seqs = proxy.seqsOf(id);
    const { lastEventSeq } = await here.client.getRun(id);
    expect(seqs.length).toBeGreaterThan(3);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => lastEventSeq - seqs.length + 1 + index));
  }
  await Promise.all([tab.page.close(), second.close(), third.close()]);
  await expect.poll(proxy.open, PATIENT).toBe(0);
  await again.close();
});

test("tabs on one run share its updates, and hidden tabs have no stream", { timeout }, async () => {
  const [run, other] = [
    await here.ledger.start(nightly, { input: { day: "2026-11-14" } }),
    await here.ledger.start(nightly, { input: { day: "2026-11-15" } }),
  ];
  const proxy = await countingProxy(here.url);
  const tab = await openTab();
  const pages = [tab.page, await tab.page.context().newPage(), await tab.page.context().newPage()] as const;
  for (const page of pages) {
    await page.goto(`${proxy.url}/runs/${run.id}`);
    await page.locator('[data-connection="connected"]').waitFor();
    await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
  }
  expect(proxy.most()).toBe(1);
  for (const page of pages.slice(1)) await turnTo(page, "hidden");
  await pages[0].goto(`${proxy.url}/runs/${other.id}`);
  await pages[0].locator('[data-connection="connected"]').waitFor();
  await expect.poll(proxy.open, PATIENT).toBe(1);
  await run.signal("release", { by: "you" });
  await run.result();
  await turnTo(pages[1], "visible");
  await pages[1].locator('.run-head [data-status="COMPLETED"]').waitFor();
  await pages[1].close();
  await expect.poll(proxy.open, PATIENT).toBe(1);
  await pages[0].getByRole("link", { name: "Runs", exact: true }).click();
  for (const { id } of [run, other]) {
    await pages[0].locator(`[data-run="${id}"]`).getByRole("link", { name: "nightly-orders" }).click();
    await pages[0].locator(".run-head").waitFor();
    await pages[0].goBack();
  }
  await pages[0].locator("[data-run]").first().waitFor();
  await expect.poll(proxy.open, PATIENT).toBe(1);
  expectNoFaults(tab);
});

test("the list of runs loads less than 250 KB of compressed script", { timeout }, async () => {
  const tab = await openTab();
  const scripts: Promise<number>[] = [];
  tab.page.context().on("requestfinished", (request) => {
    if (request.resourceType() === "script") scripts.push(request.sizes().then((sizes) => sizes.responseBodySize));
  });
  await tab.page.goto(`${here.url}/runs`);
  await tab.page.locator("[data-run]").first().waitFor();
  const assets = inRepository("packages/server/dist/web/assets");
  const hub = readdirSync(assets).find((name) => /^hub-worker.*\.js\.br$/.test(name))!; // the page does not load it itself
  const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + one, statSync(`${assets}/${hub}`).size);
  record["run list: bytes of script"] = bytes;
  expect(scripts.length).toBeGreaterThan(2);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(250_000);
});
