// @module-tag L-02
import { evolveAll, initialState, toRunSnapshot } from "@runledger/core";
import { expect, test } from "vitest";
import { coreBundles, LIMIT_BYTES } from "../../scripts/lib/core-bundle.mjs";
import type { History } from "../histories/replay.mjs";
import { histories } from "@runledger/test-support/histories";

const bundles = await coreBundles();

test.each(bundles)("core as a bundle for $name folds each history and decides it as in Node", async ({ fold }) => {
  expect(histories).not.toHaveLength(0);
  for (const history of histories) expect(JSON.parse(await fold(JSON.stringify(history)))).toEqual(foldHere(history));
});

test.each(bundles)("core as a bundle for $name is at most 15 KB gzipped", ({ gzipped }) => {
  expect(gzipped).toBeLessThanOrEqual(LIMIT_BYTES);
});

function foldHere({ events, decisions }: History): unknown {
  const state = evolveAll(initialState(events[0]?.runId ?? ""), events);
  return JSON.parse(JSON.stringify({ snapshot: toRunSnapshot(state), decisions }));
}
