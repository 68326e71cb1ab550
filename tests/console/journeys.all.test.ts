// @module-tag U-35
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { CONTROLS_OFF_SCREEN } from "./support/sizes.js";
import { nightly } from "./support/workflows.js";

const here = site([nightly]);

/** Returns ticks of the time axis whose text overlaps the next one. */
const OVERLAPPING_TICKS = `
  [...document.querySelectorAll(".tick")]
    .map((one) => one.getBoundingClientRect())
    .filter((one, index, all) => index > 0 && one.left < all[index - 1].right).length`;

test("nothing is cut off on narrow screens", async () => {
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  const tab = await openTab({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  const { page } = tab;
  for (const [name, path, sign] of [
    ["runs-narrow", "/runs", "[data-run]"],
    ["run-narrow", `/runs/${run.id}?step=release`, '[data-step="release"]'],
    ["graph-narrow", `/runs/${run.id}?view=graph`, ".react-flow__node"],
  ] as const) {
    await page.goto(`${here.url}${path}`);
    await page.locator(sign).first().waitFor();
    expect(await page.evaluate(CONTROLS_OFF_SCREEN)).toEqual([]);
    expect(await page.evaluate(OVERLAPPING_TICKS)).toBe(0);
    await tab.picture(name);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  for (const width of [768, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${here.url}/runs/${run.id}?step=release`);
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    expect(await page.evaluate(CONTROLS_OFF_SCREEN)).toEqual([]);
    await tab.picture(`run-${width}-dark`);
  }
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(tab);
});
