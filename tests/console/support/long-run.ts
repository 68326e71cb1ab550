/** Rewinds a run that is too long to load. Checks that the page is right and that it loads little. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { eachPlan, stubbornEvents, writeRun } from "./large.js";
import { expectNoFaults, openTab } from "./page.js";
import type { Site } from "./site.js";

const MOST_BYTES_IN_ALL = 8_000_000;
const MOST_BYTES_OF_ONE = 1_000_000;

/** Waits until the run is projected. */
export async function projected({ client }: Site, runId: string): Promise<void> {
  for (;;) {
    const { items } = await client.listRuns({ status: ["COMPLETED"] });
    if (items.some((run) => run.runId === runId && run.stale !== true)) return;
    await sleep(100);
  }
}

export async function rewindLongRun(here: Site, tries: number): Promise<Readonly<Record<string, number>>> {
  const runId = `run_of_${tries}_tries`;
  const last = await writeRun(here.ledger, runId, eachPlan, stubbornEvents(tries));
  await projected(here, runId);
  const tab = await openTab();
  const { page } = tab;
  const answers: Promise<number>[] = [];
  page.context().on("response", (response) => {
    if (/\/api\/v1\/.*\/(outline|events|steps)/.test(response.url()))
      answers.push(response.body().then(({ length }) => length));
  });
  const begin = performance.now();
  await page.goto(`${here.url}/runs/${runId}`);
  await page.locator('[data-step="orders"]').getByText("100 of 100").waitFor();
  const opened = Math.round(performance.now() - begin);
  await expect.poll(() => page.locator(".takeover-line").count()).toBe(1);
  const slider = page.getByRole("slider", { name: "Sequence" });
  let rewound = 0;
  for (const share of [0.5, 0.1, 0.9, 0.123]) {
    const seq = Math.floor(last * share);
    const outline = await here.client.getRunOutline(runId, { atSeq: seq });
    const { failed } = outline.groups[0]!;
    const from = performance.now();
    await slider.fill(String(seq));
    await page.waitForURL(new RegExp(`seq=${seq}$`));
    await page.locator('[data-step="orders"]').getByText(`0 of 100, ${failed} failed`).waitFor();
    rewound = Math.max(rewound, Math.round(performance.now() - from));
  }
  await page.locator('.run-head [data-status="RUNNING"]').waitFor();
  expect(await page.locator(".takeover-line").count()).toBe(0); // it had not happened yet
  expect(await page.locator('[data-step="report"] .bar').count()).toBe(0);
  await page.getByRole("button", { name: "Open orders" }).click();
  await page.locator('[data-step="orders/5/check"] [data-status="RETRYING"]').waitFor();
  await page.getByRole("searchbox", { name: "Find step" }).fill("orders/77/");
  await page.locator('[data-step="orders/5/check"]').waitFor({ state: "detached" });
  await page.locator('[data-step="orders/77/check"]').waitFor();
  await tab.picture(`long-run-${tries}-light`);
  const sizes = await Promise.all(answers);
  const bytes = sizes.reduce((sum, one) => sum + one, 0);
  expect(Math.max(...sizes)).toBeLessThan(MOST_BYTES_OF_ONE);
  expect(bytes).toBeLessThan(MOST_BYTES_IN_ALL);
  expectNoFaults(tab);
  return {
    [`${last} events: ms until the run is there`]: opened,
    [`${last} events: ms of the slowest rewinding`]: rewound,
    [`${last} events: bytes read in all`]: bytes,
  };
}
