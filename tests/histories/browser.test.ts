// @module-tag E-34
/** Replays the same histories in a real browser. */
import { expect, test } from "vitest";
import { bundleOf } from "../../scripts/lib/core-bundle.mjs";
import { requireBrowser, theBrowser } from "@runledger/test-support/browser";
import { histories, planted } from "@runledger/test-support/histories";
import { describeWith } from "@runledger/test-support/requirements";
import type { History, replay } from "./replay.mjs";

/** The exports of the bundle in the page. */
declare const told: { readonly replay: typeof replay };

async function replayInPage(): Promise<(history: History) => Promise<void>> {
  const entry = `export { replay } from "./tests/histories/replay.mjs";`;
  const code = await bundleOf(entry, { format: "iife", globalName: "told", platform: "browser", target: "es2022" });
  const page = await (await theBrowser()).newPage();
  await page.addScriptTag({ content: code });
  return (history) => page.evaluate((text) => told.replay(JSON.parse(text) as History), JSON.stringify(history));
}

describeWith("in Chromium", [requireBrowser], () => {
  test("every history folds and decides as it was recorded; with a planted difference none does", async () => {
    const replayed = await replayInPage();
    expect(histories).not.toHaveLength(0);
    for (const history of histories) await replayed(history);
    for (const plant of Object.values(planted)) {
      for (const history of histories.slice(0, 5)) await expect(replayed(plant(history))).rejects.toThrow(history.name);
    }
  });
});
