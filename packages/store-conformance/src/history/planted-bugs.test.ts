// @module-tag L-41
/**
 * Tests the checker: each bug is planted in a store, a workload runs on it, and the checker must name the broken
 * promise within the default number of seeds. The same workload on the same store without a bug must be clean.
 */
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { plantedHandles } from "../planted/planted-store.js";
import type { Bug } from "../planted/planted-tables.js";
import { checkHistory } from "./check-history.js";
import { snapshotReplay } from "./snapshot-replay.js";
import type { Invariant, Violation } from "./violation.js";
import { runWorkload } from "./workload.js";

const SEEDS = Array.from({ length: 5 }, (_, index) => index + 1);

async function violationsOf(handles: Parameters<typeof runWorkload>[0], seed: number): Promise<readonly Violation[]> {
  return checkHistory(await runWorkload(handles, { seed }), { replay: snapshotReplay }).violations;
}

test("a store without a bug is found clean, with every seed", async () => {
  for (const seed of SEEDS) {
    expect(await violationsOf(plantedHandles(null), seed), `planted store, seed ${seed}`).toEqual([]);
    expect(await violationsOf([new MemoryStore()], seed), `memory, seed ${seed}`).toEqual([]);
  }
});

const planted: readonly (readonly [string, Bug, Invariant])[] = [
  ["a lost acknowledged event", "lost-event", "acknowledged-in-log"],
  ["a gap", "gap", "seq-is-1-to-n"],
  ["a duplicate key", "duplicate-key", "one-row-per-key"],
  ["a renumbered duplicate", "renumbered-duplicate", "duplicate-keeps-its-seq"],
  ["a reordered batch", "reordered-batch", "call-order"],
  ["a torn batch that a reader sees", "torn-batch", "call-is-atomic"],
  ["a torn batch that a crash left", "torn-by-a-crash", "call-is-atomic"],
  ["a read that skips an event in flight", "read-skips-in-flight", "read-is-a-prefix"],
  ["`idempotent` guessed from time", "idempotent-from-time", "idempotent-is-decided"],
  ["a stale lease accepted", "stale-lease", "stale-lease-refused"],
  ["an epoch that two owners share", "epoch-kept", "one-owner-per-epoch"],
  ["a checkpoint labeled with its own append's seq", "checkpoint-own-seq", "checkpoint-label"],
  ["a duplicate that overwrites", "last-write-wins", "payload-kept"],
  ["a refused call that wrote", "refused-but-written", "refused-wrote-nothing"],
  ["numbers drawn in advance", "cached-numbers", "real-time-order"],
];

test.each(planted)("%s is caught", async (_, bug, invariant) => {
  const found: (readonly Invariant[])[] = [];
  for (const seed of SEEDS) {
    const violations = await violationsOf(plantedHandles(bug), seed);
    found.push([...new Set(violations.map((violation) => violation.invariant))]);
  }
  expect(found.flat()).toContain(invariant);
});
