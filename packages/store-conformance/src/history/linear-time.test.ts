// @module-tag L-41
import { sha256Hex, type NewEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { stepsOf } from "../support/events.js";
import { checkHistory } from "./check-history.js";
import { digestOf } from "./digest.js";
import type { AppendOperation, History, Operation } from "./history.js";

const RUN = "hot";

/**
 * Puts everything on one run, where a search costs most: writes, duplicates of all of them, pages, owners, checkpoints.
 */
function historyOf(size: number): History {
  const events = stepsOf(RUN, size);
  const writes = events.map((event, index) => append(event, index, 2 * index, false));
  const duplicates = events.map((event, index) => append(event, index, 3 * size + index, true));
  const others = Array.from({ length: size / 10 }, (_, index) => around(events, index * 10));
  const checkpoint = checkpointAt(size / 2);
  const log = { runId: RUN, events: events.map((event, index) => ({ ...event, runSeq: index + 1 })) };
  return { operations: [...writes, ...duplicates, ...others.flat()], logs: [log], checkpoints: [checkpoint] };
}

function append(event: NewEvent, index: number, at: number, idempotent: boolean): AppendOperation {
  const { idempotencyKey: key, eventId, eventData } = event;
  const outcome = {
    status: "acknowledged",
    results: [{ runSeq: index + 1, idempotent, persisted: !idempotent }],
  } as const;
  const appended = [{ key, eventId, digest: digestOf(eventData) }];
  const checkpoint = idempotent ? null : checkpointAt(index);
  const part = { runId: RUN, events: appended, fence: Math.floor(index / 10) + 1, checkpoint, outcome };
  return { kind: "append", client: "a", id: at, invoked: at, returned: at + 1, parts: [part] };
}

function around(events: readonly NewEvent[], from: number): Operation[] {
  const span = { client: "b", id: from, invoked: 2 * events.length, returned: 2 * events.length + 1, runId: RUN };
  const page = events.slice(from, from + 10).map(({ idempotencyKey }, index) => {
    return { seq: from + index + 1, key: idempotencyKey };
  });
  return [
    { ...span, kind: "read", afterSeq: from, limit: 10, toSeq: null, scoped: false, events: page },
    { ...span, kind: "lease", workerId: `w${from}`, epoch: from / 10 + 1, headSeq: from },
    { ...span, kind: "checkpoint", checkpoint: checkpointAt(from) },
  ];
}

function checkpointAt(seq: number) {
  return { runId: RUN, seq, format: 1, data: "", checksum: sha256Hex(String(seq)) };
}

/** Wraps a history and counts the accesses to it. */
function counted(history: History): { readonly history: History; visits(): number } {
  let visits = 0;
  const wrapped = new WeakMap<object, object>();
  const wrap = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    const known = wrapped.get(value) ?? new Proxy(value, { get: look });
    wrapped.set(value, known);
    return known as T;
  };
  const look = (target: object, name: string | symbol): unknown => {
    visits++;
    return wrap(Reflect.get(target, name) as unknown);
  };
  return { history: wrap(history), visits: () => visits };
}

function visitsFor(size: number): number {
  const { history, visits } = counted(historyOf(size));
  expect(checkHistory(history, { replay: () => "the same" }).violations).toEqual([]);
  return visits();
}

test("checkHistory is linear: twice the history, twice the visits", () => {
  const [small, large, huge] = [visitsFor(200), visitsFor(400), visitsFor(3200)];
  expect(large / small).toBeLessThan(2.01);
  expect(huge / small).toBeLessThan(16.1);
});

test("the count would show a search", () => {
  const searches = (size: number): number => {
    const { history, visits } = counted(historyOf(size));
    const events = history.logs[0]!.events;
    for (const event of events) events.find((other) => other.idempotencyKey === event.idempotencyKey);
    return visits();
  };
  expect(searches(400) / searches(200)).toBeGreaterThan(3.9);
});
