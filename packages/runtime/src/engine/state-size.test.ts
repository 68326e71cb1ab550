// @module-tag R-08
/** The state of a run is bounded, and a run that exceeds the limit fails alone (P9). */
import { MAX_STATE_BYTES } from "@runledger/core/store";
import { expect, test } from "vitest";
import { z } from "zod";
import { testLedger } from "../testing/test-ledger.js";
import { workflow } from "../workflow/workflow.js";
import { StateSize } from "./state-size.js";

const part = "x".repeat(200 * 1024);
const PARTS = 22; // more than the limit

test("a step whose patch makes the state too large fails with the reason, and the other runs complete", async () => {
  const state = { schema: z.record(z.string(), z.string()), initial: {} };
  const greedy = workflow("greedy", { version: "1", state }, (w) => {
    for (let n = 0; n < PARTS; n++) w.step(`add-${n}`, ({ patch }) => patch({ [`part-${n}`]: part }));
  });
  const other = workflow("other", { version: "1" }, (w) => w.step("one", () => 1));
  await using t = await testLedger({ workflows: [greedy, other] });
  const [run, beside] = [await t.start(greedy), await t.start(other)];
  await t.advance("1m");
  expect(await beside.result()).toBe(1);
  const snapshot = await run.snapshot();
  expect(snapshot).toMatchObject({ status: "FAILED", error: { code: "PAYLOAD_TOO_LARGE", retryable: false } });
  expect(JSON.stringify(snapshot.state).length).toBeLessThanOrEqual(MAX_STATE_BYTES);
  expect((snapshot as { error?: { message: string } }).error?.message).toContain("The state of the run would have");
});

test("patches that replace each other do not add up", () => {
  const size = new StateSize();
  size.start({ kept: part });
  for (let n = 0; n < 3 * PARTS; n++) expect(size.add({ replaced: `${n}${part}` })).toBe(null);
  const refusals = Array.from({ length: PARTS }, (_, n) => size.add({ [`part-${n}`]: part }));
  expect(refusals.filter((reason) => reason !== null)).not.toEqual([]);
  expect(size.add({ kept: null, replaced: null })).toBe(null);
  expect(size.add({ fits: part })).toBe(null);
});
