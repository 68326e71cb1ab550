// @module-tag O-23
import { expect, test } from "vitest";
import type { Limit, LimitTarget, LimitUse, QueueEntry, QueueFacts } from "@runledger/contracts";
import { answerOf } from "./answer.js";
import { explain, type LogStanding } from "./explain.js";

const NOW = "2026-11-15T08:00:00.000Z";
const LATER = "2026-11-15T09:00:00.000Z";
const entry: QueueEntry = {
  runId: "run-1",
  tenantId: "acme",
  projectId: "web",
  planId: "nightly",
  planVersion: "1",
  concurrencyKey: "k",
  logFormat: 1,
  priority: 0,
  queuedAt: NOW,
  startedAt: null,
  dueAt: NOW,
  owner: null,
  slot: false,
  acts: false,
};
const quiet: LogStanding = { paused: false, waits: [], noWorker: null };
const tenant: LimitTarget = { scope: "tenant", subject: "acme" };

function use(target: LimitTarget, limit: Partial<Limit>, rest: Partial<LimitUse> = {}): LimitUse {
  const none = { maxRunning: null, rate: null, maxQueued: null, priority: null };
  const idle = { running: 0, holders: [], rateFreeAt: null, startsPerSecond: null };
  return { target, limit: { ...target, ...none, ...limit }, ...idle, ...rest };
}

function why(about: Partial<QueueEntry>, facts: Partial<QueueFacts> = {}, log: Partial<LogStanding> = {}) {
  const rest = { now: NOW, ahead: 0, aheadOfOwn: 0, startsPerSecond: null, limits: [] };
  return explain({ ...rest, ...facts, entry: { ...entry, ...about } }, { ...quiet, ...log });
}

test("an owned run is running, or answers an operator", () => {
  expect(why({ owner: "w", slot: true, startedAt: NOW })).toMatchObject({ where: "running", reasons: [] });
  expect(why({ owner: "w" })).toMatchObject({ where: "answering", position: null, expectedAt: null });
});

test("nothing in its way: it is next, and accepted", () => {
  const next = why({}, { limits: [use(tenant, { maxRunning: 2 }, { running: 1 })] });
  expect(next).toEqual({ where: "queued", reasons: [], position: 1, expectedAt: NOW });
  expect(answerOf(next)).toEqual({ answer: "ACCEPT" });
});

test("a full limit: its value, its holders, the position and the expected start", () => {
  const full = use(tenant, { maxRunning: 2 }, { running: 2, holders: ["run-8", "run-9"], startsPerSecond: 0.5 });
  const held = why({}, { limits: [full], ahead: 3, startsPerSecond: 2 });
  expect(held).toEqual({
    where: "queued",
    reasons: [
      { kind: "limit", target: tenant, what: "running", value: 2, holders: ["run-8", "run-9"], freeAt: null },
      { kind: "turn", ahead: 3 },
    ],
    position: 4,
    expectedAt: "2026-11-15T08:00:08.000Z",
  });
  expect(answerOf(held)).toMatchObject({ answer: "QUEUE", position: 4 });
  expect(why({}, { limits: [full], startsPerSecond: null }).expectedAt).toBeNull();
  expect(why({}, { ahead: 1, startsPerSecond: 0 }).expectedAt).toBeNull();
  expect(why({}, { ahead: 1, startsPerSecond: 2 }).expectedAt).toBe("2026-11-15T08:00:01.000Z");
});

test("with a rate or a start time, the answer is DELAY", () => {
  const rated = use(tenant, { rate: { starts: 5, perMs: 60_000 } }, { rateFreeAt: LATER });
  const slow = why({}, { limits: [rated] });
  expect(slow.reasons).toEqual([{ kind: "limit", target: tenant, what: "rate", value: 5, holders: [], freeAt: LATER }]);
  expect(answerOf(slow)).toMatchObject({ answer: "DELAY", startAt: LATER });
  const soon = { ...rated, rateFreeAt: NOW };
  const behind = why({}, { limits: [soon, rated], ahead: 1, startsPerSecond: 2 });
  expect(answerOf(behind)).toMatchObject({ answer: "DELAY", startAt: LATER });
  expect(why({}, { limits: [soon], ahead: 1, startsPerSecond: 2 }).expectedAt).toBe("2026-11-15T08:00:01.000Z");
  const full = use(tenant, { maxRunning: 0 });
  expect(answerOf(why({}, { limits: [rated, full, soon] }))).toMatchObject({ answer: "QUEUE" });
  const delayed = why({ dueAt: LATER });
  expect(delayed).toEqual({
    where: "queued",
    reasons: [{ kind: "delayed", until: LATER }],
    position: null,
    expectedAt: LATER,
  });
  expect(answerOf(delayed)).toMatchObject({ answer: "DELAY", startAt: LATER });
});

test("without a worker for its version, there is no expected start", () => {
  const alone = why({}, { startsPerSecond: 9, ahead: 1 }, { noWorker: "no worker for nightly 1" });
  expect(alone.reasons[0]).toEqual({ kind: "worker", message: "no worker for nightly 1" });
  expect(alone.expectedAt).toBeNull();
  expect(answerOf(alone)).toMatchObject({ answer: "QUEUE", expectedAt: null });
});

test("a started run waits for the reasons in its log, paused or not", () => {
  const waits = [{ kind: "signal", signal: "release", stepId: "wait", until: null }] as const;
  expect(why({ startedAt: NOW, dueAt: null }, {}, { waits }).reasons).toEqual(waits);
  const paused = why({ startedAt: NOW, dueAt: null }, {}, { waits, paused: true });
  expect(paused).toMatchObject({ where: "waiting", reasons: [{ kind: "paused" }, ...waits], expectedAt: null });
  expect(answerOf(paused)).toMatchObject({ answer: "QUEUE", position: 1 });
});

test("a resumed run already holds its key and does not count toward a rate", () => {
  const key: LimitTarget = { scope: "concurrencyKey", subject: "acme|k" };
  const limits = [
    use(key, { maxRunning: 1 }, { running: 1 }),
    use(tenant, { rate: { starts: 1, perMs: 1000 }, maxRunning: 1 }, { rateFreeAt: LATER, running: 1 }),
  ];
  expect(why({ startedAt: NOW }, { limits }).reasons).toMatchObject([
    { kind: "limit", target: tenant, what: "running" },
  ]);
});
