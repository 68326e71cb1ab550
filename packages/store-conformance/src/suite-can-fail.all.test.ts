// @module-tag L-40
/**
 * Every test of the suite can fail: for each there is at least one mutant of the reference store, with a single fault,
 * that it rejects. The reference store itself passes all of them (memory.test.ts).
 */
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { accessMutations } from "./planted/access-mutations.js";
import { alertMutations } from "./planted/alert-mutations.js";
import { appendMutations } from "./planted/append-mutations.js";
import { archiveMutations } from "./planted/archive-mutations.js";
import { checkpointMutations } from "./planted/checkpoint-mutations.js";
import { closingMutations } from "./planted/closing-mutations.js";
import { copyMutations } from "./planted/copy-mutations.js";
import { datasetMutations } from "./planted/dataset-mutations.js";
import { derivedMutations } from "./planted/derived-mutations.js";
import { expiryMutations } from "./planted/expiry-mutations.js";
import { feedMutations } from "./planted/feed-mutations.js";
import { indexMutations } from "./planted/index-mutations.js";
import { leaseMutations } from "./planted/lease-mutations.js";
import { mutant, type Mutation } from "./planted/mutant.js";
import { outboxMutations } from "./planted/outbox-mutations.js";
import { planMutations } from "./planted/plan-mutations.js";
import { queueMutations } from "./planted/queue-mutations.js";
import { readMutations } from "./planted/read-mutations.js";
import { retentionMutations } from "./planted/retention-mutations.js";
import { scheduleMutations } from "./planted/schedule-mutations.js";
import { snapshotMutations } from "./planted/snapshot-mutations.js";
import { startMutations } from "./planted/start-mutations.js";
import { tenantMutations } from "./planted/tenant-mutations.js";
import { triggerMutations } from "./planted/trigger-mutations.js";
import { stateStoreConformance } from "./state-store-conformance.js";

interface Collected {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Returns the tests of the suite for one mutant, by title. */
function testsFor(mutation: () => Mutation): Collected[] {
  const tests: Collected[] = [];
  const path: string[] = [];
  const describe = (name: string, body: () => void): void => {
    path.push(name);
    body();
    path.pop();
  };
  const collect = (name: string, body: () => Promise<void>): void => {
    tests.push({ title: [...path.slice(1), name].join(" > "), run: body });
  };
  const open = async () => mutant(new MemoryStore(), mutation());
  stateStoreConformance("mutant", { runner: { describe, test: collect }, open, reopen: open });
  return tests;
}

/** Number of mutants tested at once; their tests mostly wait. More would repeat work that an earlier mutant saves. */
const AT_ONCE = 8;

/** Leases first: their tests wait for time to pass, and need not wait again for every other mutant. */
const mutations: Readonly<Record<string, () => Mutation>> = {
  ...leaseMutations,
  ...Object.fromEntries(
    Object.entries({ ...appendMutations, ...readMutations }).map(([name, mutation]) => [name, () => mutation]),
  ),
  ...tenantMutations,
  ...snapshotMutations,
  ...indexMutations,
  ...derivedMutations,
  ...checkpointMutations,
  ...feedMutations,
  ...accessMutations,
  ...archiveMutations,
  ...copyMutations,
  ...planMutations,
  ...startMutations,
  ...scheduleMutations,
  ...outboxMutations,
  ...retentionMutations,
  ...expiryMutations,
  ...triggerMutations,
  ...datasetMutations,
  ...alertMutations,
  ...closingMutations,
  ...queueMutations,
};

/**
 * Returns the tests that reject the mutant. Runs the tests that have rejected none so far, then the others until one
 * rejects it. They run at once, because each has its own store and many only wait for time to pass.
 */
async function rejecting(mutation: () => Mutation, caught: ReadonlySet<string>): Promise<string[]> {
  const tests = testsFor(mutation);
  const failed = await failing(tests.filter(({ title }) => !caught.has(title)));
  const others = failed.length > 0 ? [] : tests.filter(({ title }) => caught.has(title));
  for (const other of others) {
    if (failed.length > 0) break;
    failed.push(...(await failing([other])));
  }
  return failed;
}

async function failing(tests: readonly Collected[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
  return tests.filter((_, place) => outcomes[place]!.status === "rejected").map(({ title }) => title);
}

test("every mutant is rejected, and every test of the suite rejects some mutant", async () => {
  const caught = new Set<string>();
  const accepted: string[] = [];
  for (const group of inGroups(Object.entries(mutations), AT_ONCE)) {
    const rejections = await Promise.all(group.map(([, mutation]) => rejecting(mutation, caught)));
    for (const [place, [name]] of group.entries()) if (rejections[place]!.length === 0) accepted.push(name);
    for (const title of rejections.flat()) caught.add(title);
  }
  const all = testsFor(() => ({})).map(({ title }) => title);
  expect(accepted).toEqual([]);
  expect(all.filter((title) => !caught.has(title))).toEqual([]);
}, 900_000);

function inGroups<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, place) => items.slice(place * size, (place + 1) * size));
}
