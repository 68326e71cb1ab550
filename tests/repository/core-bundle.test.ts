import { evolveAll, initialState, toRunSnapshot } from "@runledger/core";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { coreBundles, LIMIT_BYTES } from "../../scripts/lib/core-bundle.mjs";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

const histories = filesBelow("tests/histories").map((path) => readFileSync(inRepository(path), "utf8"));
const bundles = await coreBundles();

test.each(bundles)("[L-02] core as a bundle for $name folds each history as in Node", async ({ fold }) => {
  expect(histories).not.toHaveLength(0);
  for (const history of histories) expect(JSON.parse(await fold(history))).toEqual(foldHere(history));
});

test.each(bundles)("[L-02] core as a bundle for $name is at most 15 KB gzipped", ({ gzipped }) => {
  expect(gzipped).toBeLessThanOrEqual(LIMIT_BYTES);
});

function foldHere(history: string): unknown {
  const events = JSON.parse(history) as CanonicalEngineEvent[];
  const state = evolveAll(initialState(events[0]?.runId ?? ""), events);
  return JSON.parse(JSON.stringify(toRunSnapshot(state)));
}
