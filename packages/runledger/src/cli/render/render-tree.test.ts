import { evolveAll, initialState } from "@runledger/core";
import { expect, test } from "vitest";
import { testLedger, type TestRun } from "@runledger/runtime/testing/index";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { workflow } from "@runledger/runtime/workflow/workflow";
import { renderTree } from "./render-tree.js";
import { FailedAttempts } from "./tree-view.js";

/** The tree as `watch` draws it after all events, without the header. */
async function treeOf(made: AnyWorkflow, run: Pick<TestRun, "id" | "events">, now: Date): Promise<string[]> {
  const events = await run.events();
  const failed = new FailedAttempts();
  for (const event of events) failed.add(event);
  const state = evolveAll(initialState(run.id), events);
  return renderTree({ state, plan: compiledOf(made).plan, failed: failed.byStep, now: now.getTime() }).slice(1);
}

test("the tree shows completed, retried, waiting and future steps", async () => {
  const nightly = workflow("nightly", { version: "1.4.0" }, (w) => {
    const extract = w.step("extract", () => 1);
    const load = w.step("load", { after: [extract], retry: { attempts: 5, delay: "1s" } }, ({ attempt }) => {
      if (attempt === 1) throw Object.assign(new Error("busy"), { code: "BUSY" });
    });
    const release = w.waitForSignal("release", { after: [load], timeout: "3d" });
    w.step("publish", { after: [release] }, () => {});
  });
  await using t = await testLedger({ workflows: [nightly] });
  const run = await t.start(nightly);
  expect((await treeOf(nightly, run, t.now()))[1]).toMatch(/^◌ load {6}0 ms {3}attempt 1 of 5, retry in .* BUSY busy$/);
  await t.advance("1h");
  expect(await treeOf(nightly, run, t.now())).toEqual([
    "✔ extract   0 ms",
    "✔ load      0 ms   attempt 2 of 5 (1: BUSY after 0 ms)",
    `◌ release   waiting for "release", 2 d 23 h left`,
    "○ publish",
  ]);
});

test("the tree shows items as a bar, the chosen branch and the latest iteration", async () => {
  const wide = workflow("wide", {}, (w) => {
    const items = w.forEach("items", { items: () => [1, 2, 3, 4], concurrency: 2 }, (w) => {
      const one = w.step("one", () => 1);
      const nap = w.sleep("nap", { after: [one], for: "1h" });
      return w.step("two", { after: [nap] }, () => 2);
    });
    const choice = w.when(
      "choice",
      { after: [items], if: () => false },
      (w) => w.step("yes", () => 1),
      (w) => w.step("no", () => 2),
    );
    w.repeat(
      "poll",
      { after: [choice], max: 5, delay: "1m" },
      (w) => w.step("ask", ({ iteration }) => iteration),
      ({ output }) => output === 1,
    );
  });
  await using t = await testLedger({ workflows: [wide] });
  const run = await t.start(wide);
  await t.advance("90m");
  expect(await treeOf(wide, run, t.now())).toEqual(["● items    1 h 30 m   █████▁▁▁▁▁ 50%  2/4", "○ choice", "○ poll"]);
  await run.result();
  expect(await treeOf(wide, run, t.now())).toEqual([
    "✔ items    2 h 0 m   ██████████ 100%  4/4",
    "✔ choice   0 ms",
    "✔   no     0 ms",
    "✔ poll     1 m 0 s",
    "✔   ask    0 ms",
  ]);
});

test("the tree shows a failure with its cause, the skipped steps and the failed item", async () => {
  const broken = workflow("broken", {}, (w) => {
    const items = w.forEach("items", { items: () => ["a", "b"] }, (w) =>
      w.step("work", ({ item }) => {
        if (item === "b") throw Object.assign(new Error("b is bad"), { code: "BAD", retryable: false });
      }),
    );
    w.step("after", { after: [items] }, () => {});
  });
  await using t = await testLedger({ workflows: [broken] });
  const run = await t.start(broken);
  await run.ended();
  expect(await treeOf(broken, run, t.now())).toEqual([
    "✖ items            0 ms   ██████████ 100%  2/2   STEP_FAILED Step items/1/work failed.",
    "✖   items/1/work   0 ms   BAD b is bad",
    "– after            skipped because items failed",
  ]);
});
