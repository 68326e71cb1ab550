// @module-tag U-33
import type { Limit, QueuedRun } from "@runledger/client";
import { expect, test } from "vitest";
import { limitUses } from "./limit-use.js";

function limit(scope: Limit["scope"], subject: string, maxRunning: number): Limit {
  return { scope, subject, maxRunning, rate: null, maxQueued: null, priority: null };
}

function run(runId: string, where: QueuedRun["where"], more: Partial<QueuedRun> = {}): QueuedRun {
  return {
    runId,
    where,
    reasons: [],
    position: null,
    expectedAt: null,
    planId: "orders",
    planVersion: "1",
    projectId: "web",
    concurrencyKey: null,
    priority: 0,
    queuedAt: null,
    startedAt: where === "queued" ? null : "2026-11-14T08:00:00Z",
    dueAt: null,
    owner: null,
    ...more,
  };
}

const counts = { queued: 0, running: 0, waiting: 0 };

test("a limit counts the runs that hold it, and is full if a run waits for it", () => {
  const target = { scope: "workflow", subject: "orders" } as const;
  const reason = { kind: "limit", what: "running", value: 3, target, holders: ["a"], text: "" } as const;
  const runs = [run("a", "running"), run("b", "waiting"), run("c", "queued", { reasons: [reason] })];
  const limits = [limit("tenant", "acme", 5), limit("workflow", "orders", 3)];
  expect(limitUses({ runs, counts, limits, isPartial: false }, "acme")).toEqual([
    {
      target: limits[0] && { scope: "tenant", subject: "acme" },
      maxRunning: 5,
      taken: 1,
      holders: ["a"],
      waiting: 0,
      isAtLeast: false,
    },
    { target, maxRunning: 3, taken: 3, holders: ["a"], waiting: 1, isAtLeast: false },
  ]);
});

test("a limit on every concurrency key counts each key separately, including waiting runs", () => {
  const runs = [
    run("a", "waiting", { concurrencyKey: "k1" }),
    run("b", "running", { concurrencyKey: "k2" }),
    run("c", "queued", { concurrencyKey: "k2" }),
  ];
  const uses = limitUses({ runs, counts, limits: [limit("concurrencyKey", "*", 1)], isPartial: false }, "acme");
  expect(uses.map(({ target, taken }) => [target.subject, taken])).toEqual([
    ["acme|k1", 1],
    ["acme|k2", 1],
  ]);
});
