// @module-tag O-21
import { expect, test } from "vitest";
import type { Counted, Limit, LimitTarget } from "@runledger/contracts";
import { countStarts, startsPerSecond } from "./start-rate.js";
import { Capacity, type Usage } from "./capacity.js";
import { inServingOrder, nextTurn, type QueuedRun } from "./tenant-rotation.js";

const limit = (target: LimitTarget, rest: Partial<Limit>): Limit => ({
  maxRunning: null,
  rate: null,
  maxQueued: null,
  priority: null,
  ...target,
  ...rest,
});
const run = (rest: Partial<Counted> = {}): Counted => ({
  tenantId: "acme",
  projectId: "web",
  planId: "nightly",
  concurrencyKey: null,
  ...rest,
});
const idle: Usage = { running: () => 0, startedWithin: () => 0 };

test("without limits everything is let in", () => {
  const capacity = new Capacity([], idle);
  for (let i = 0; i < 100; i++) expect(capacity.admit(run(), true)).toBe(true);
});

test("a run takes a place under every limit, or none at all", () => {
  const limits = [
    limit({ scope: "tenant", subject: "acme" }, { maxRunning: 3 }),
    limit({ scope: "workflow", subject: "nightly" }, { maxRunning: 1 }),
  ];
  const capacity = new Capacity(limits, idle);
  const admitted = ["nightly", "nightly", "hourly", "hourly", "hourly"].map((planId) =>
    capacity.admit(run({ planId }), true),
  );
  expect(admitted).toEqual([true, false, true, true, false]);
});

test("running runs count, and a tenant's own limit takes precedence over the limit for every tenant", () => {
  const limits = [
    limit({ scope: "tenant", subject: "*" }, { maxRunning: 2 }),
    limit({ scope: "tenant", subject: "big" }, { maxRunning: 4 }),
    limit({ scope: "tenant", subject: "free" }, {}),
  ];
  const capacity = new Capacity(limits, { ...idle, running: ({ scope }) => (scope === "tenant" ? 1 : 0) });
  const admitted = (tenantId: string): number =>
    Array.from({ length: 9 }, () => capacity.admit(run({ tenantId }), true)).filter(Boolean).length;
  expect([admitted("small"), admitted("big"), admitted("free")]).toEqual([1, 3, 9]);
});

test("a concurrency key allows one run at a time by default; a started run already holds its key", () => {
  const holds: Usage = { ...idle, running: ({ scope }) => (scope === "concurrencyKey" ? 1 : 0) };
  expect(new Capacity([], idle).admit(run({ concurrencyKey: "k" }), true)).toBe(true);
  expect(new Capacity([], holds).admit(run({ concurrencyKey: "k" }), true)).toBe(false);
  expect(new Capacity([], holds).admit(run({ concurrencyKey: "k" }), false)).toBe(true);
  const two = [limit({ scope: "concurrencyKey", subject: "acme|k" }, { maxRunning: 2 })];
  expect(new Capacity(two, holds).admit(run({ concurrencyKey: "k" }), true)).toBe(true);
});

test("a rate counts starts, not resumed runs; a resumed run takes the place of one that would start", () => {
  const limits = [limit({ scope: "overall", subject: "" }, { maxRunning: 4, rate: { starts: 2, perMs: 1000 } })];
  const capacity = new Capacity(limits, { ...idle, startedWithin: (_, ms) => (ms === 1000 ? 1 : 0) });
  expect([capacity.admit(run(), false), capacity.admit(run(), true), capacity.admit(run(), true)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([capacity.admit(run(), false), capacity.admit(run(), false), capacity.admit(run(), false)]).toEqual([
    true,
    true,
    false,
  ]);
});

type Named = QueuedRun & { readonly runId: string };
const queued = (runId: string, rest: Partial<QueuedRun> = {}): Named => ({
  runId,
  tenantId: runId.split("-")[0]!,
  priority: 0,
  tenantPriority: 0,
  dueAt: 0,
  ...rest,
});
const ids = (runs: readonly Named[]): string[] => runs.map(({ runId }) => runId);

test("tenants take turns, regardless of how many runs each has queued", { tags: ["O-22"] }, () => {
  const many = Array.from({ length: 5 }, (_, i) => queued(`a-${i}`));
  const turns = { of: (tenant: string) => ({ turn: 8, since: tenant === "a" ? 1 : 2 }), served: 7 };
  const order = inServingOrder([...many, queued("b-0"), queued("c-0"), queued("c-1")], turns);
  expect(ids(order)).toEqual(["a-0", "b-0", "c-0", "a-1", "c-1", "a-2", "a-3", "a-4"]);
});

test("a tenant that could not be served for long is ahead by one run, not by all it missed", () => {
  const late = Array.from({ length: 3 }, (_, i) => queued(`late-${i}`));
  const turns = { of: (tenant: string) => ({ turn: tenant === "late" ? 2 : 101, since: 0 }), served: 100 };
  expect(ids(inServingOrder([queued("new-0"), ...late], turns))).toEqual(["late-0", "new-0", "late-1", "late-2"]);
  expect(nextTurn({ turn: 2, since: 0 }, 100, 1)).toBe(101);
});

test("priority orders the runs of a tenant, and tenants if limits set it", () => {
  const turns = { of: () => ({ turn: 1, since: 0 }), served: 0 };
  const own = [queued("a-3"), queued("a-1", { dueAt: 5 }), queued("a-2", { priority: 9 }), queued("a-0", { dueAt: 5 })];
  expect(ids(inServingOrder(own, turns))).toEqual(["a-2", "a-3", "a-1", "a-0"]);
  const vip = [queued("a-0"), queued("v-0", { tenantPriority: 1 }), queued("v-1", { tenantPriority: 1 })];
  expect(ids(inServingOrder(vip, turns))).toEqual(["v-0", "v-1", "a-0"]);
});

test("the recent start rate is measured", () => {
  let rate = countStarts(undefined, 10, 0);
  expect(startsPerSecond(rate, 500)).toBe(10); // a rate is never computed over less than a second
  rate = countStarts(rate, 10, 10_000);
  expect(startsPerSecond(rate, 10_000)).toBe(2);
  rate = countStarts(rate, 0, 60_000);
  expect(rate).toEqual({ since: 30_000, starts: 10 });
  expect(startsPerSecond(rate, 130_000)).toBeCloseTo(0.1);
});
