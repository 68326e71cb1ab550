// @module-tag L-41
import { newEvent, type CanonicalEngineEvent, type Checkpoint, type NewEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunSnapshot } from "@runledger/core";
import { expect, test } from "vitest";
import { stepOf } from "../support/events.js";
import { checkHistory } from "./check-history.js";
import { digestOf } from "./digest.js";
import type { AppendOperation, History, Operation, PartOutcome, PublishedEvent, ReadOperation } from "./history.js";
import { mergeHistories } from "./merge-histories.js";
import { snapshotCheckpoint, snapshotReplay } from "./snapshot-replay.js";
import type { Invariant } from "./violation.js";

const RUN = "run-1";

/** Judges a history written by hand. */
function verdict(operations: readonly Operation[], log: readonly CanonicalEngineEvent[]): Invariant[] {
  const history: History = { operations, logs: [{ runId: RUN, events: log }], checkpoints: [] };
  return checkHistory(history).violations.map((violation) => violation.invariant);
}

const first = stepOf(RUN, "first");
const second = stepOf(RUN, "second");

function stored(...events: readonly NewEvent[]): CanonicalEngineEvent[] {
  return events.map((event, index) => ({ ...event, runSeq: index + 1 }));
}

type Times = readonly [invoked: number, returned: number | null];
let ids = 0;

function append(events: readonly NewEvent[], [invoked, returned]: Times, outcome: PartOutcome): AppendOperation {
  const own = events.map(({ idempotencyKey, eventId, eventData }) => {
    return { key: idempotencyKey, eventId, digest: digestOf(eventData) };
  });
  const part = { runId: RUN, events: own, fence: null, checkpoint: null, outcome };
  return { kind: "append", client: "a", id: ids++, invoked, returned, parts: [part] };
}

function wrote(...seqs: number[]): PartOutcome {
  return {
    status: "acknowledged",
    results: seqs.map((runSeq) => ({ runSeq, idempotent: false, persisted: true })),
  };
}

function read(events: readonly [number, NewEvent][], [invoked, returned]: Times, afterSeq = 0): ReadOperation {
  const seen = events.map(([seq, { idempotencyKey }]) => ({ seq, key: idempotencyKey }));
  const page = { afterSeq, limit: null, toSeq: null, scoped: false, events: seen };
  return { kind: "read", client: "b", id: ids++, invoked, returned, runId: RUN, ...page };
}

test("a read of a log with gaps may end before a gap, but never passes one that is filled later", () => {
  const log = [1, 2, 4].map((runSeq, index) => ({ ...stepOf(RUN, `s${index}`), runSeq }));
  const seen = (...places: readonly number[]) =>
    places.map((place): [number, NewEvent] => [log[place]!.runSeq, log[place]!]);
  const judge = (...reads: readonly ReadOperation[]): Invariant[] => {
    const wrotes = log.map((event) => append([event], [1, 100], wrote(event.runSeq)));
    const history: History = {
      operations: [...wrotes, ...reads],
      logs: [{ runId: RUN, events: log }],
      checkpoints: [],
    };
    return checkHistory(history, { contiguous: false }).violations.map(({ invariant }) => invariant);
  };
  expect(judge(read(seen(0, 1), [2, 3]), read(seen(2), [4, 5], 2), read(seen(0, 1, 2), [6, 7]))).toEqual([]);
  expect(judge(read(seen(0, 2), [2, 3]))).toEqual(["read-is-a-prefix"]);
  expect(judge(read(seen(2), [2, 3], 1))).toEqual(["read-is-a-prefix"]);
});

test("real-time order: who was answered before another was called has the lower number", () => {
  const inOrder = [append([first], [1, 2], wrote(1)), append([second], [3, 4], wrote(2))];
  const swapped = [append([second], [1, 2], wrote(2)), append([first], [3, 4], wrote(1))];
  const together = [append([second], [1, 4], wrote(2)), append([first], [2, 3], wrote(1))];
  expect(verdict(inOrder, stored(first, second))).toEqual([]);
  expect(verdict(swapped, stored(first, second))).toEqual(["real-time-order"]);
  expect(verdict(together, stored(first, second))).toEqual([]);
});

test("a read that ends before an event acknowledged earlier is not a prefix", () => {
  const writes = [append([first], [1, 2], wrote(1)), append([second], [3, 6], wrote(2))];
  const log = stored(first, second);
  expect(verdict([...writes, read([], [3, 4])], log)).toEqual(["read-is-a-prefix"]);
  expect(verdict([...writes, read([[1, first]], [4, 5])], log)).toEqual([]); // the second was not acknowledged yet
  expect(verdict([...writes, read([[1, first]], [7, 8])], log)).toEqual(["read-is-a-prefix"]);
  expect(verdict([...writes, read([[2, second]], [7, 8])], log)).toEqual(["read-is-a-prefix"]);
  expect(verdict([...writes, read([[2, second]], [7, 8], 1)], log)).toEqual([]);
});

test("an event that one reader saw must not be missing for a later one", () => {
  const writes = [append([first], [1, 9], wrote(1))];
  const reads = [read([[1, first]], [2, 3]), read([], [4, 5])];
  expect(verdict([...writes, ...reads], stored(first))).toEqual(["read-is-a-prefix"]);
});

test("a read that sees half of a call is torn, a page that was cut by its limit is not", () => {
  const write = append([first, second], [1, 9], wrote(1, 2));
  const half = read([[1, first]], [2, 3]);
  expect(verdict([write, half], stored(first, second))).toEqual(["call-is-atomic"]);
  expect(verdict([write, { ...half, limit: 1 }], stored(first, second))).toEqual([]);
});

test("an unknown outcome may be stored or not, but not in halves", () => {
  const lost = append([first, second], [1, null], { status: "unknown" });
  expect(verdict([lost], [])).toEqual([]);
  expect(verdict([lost], stored(first, second))).toEqual([]);
  expect(verdict([lost], stored(first))).toEqual(["call-is-atomic"]);
});

test("the retry after an unknown outcome may get either answer, but one call stored the event", () => {
  const lost = append([first], [1, null], { status: "unknown" });
  const duplicate: PartOutcome = {
    status: "acknowledged",
    results: [{ runSeq: 1, idempotent: true, persisted: false }],
  };
  expect(verdict([lost, append([first], [2, 3], duplicate)], stored(first))).toEqual([]);
  expect(verdict([lost, append([first], [2, 3], wrote(1))], stored(first))).toEqual([]);
  expect(verdict([append([first], [2, 3], duplicate)], stored(first))).toEqual(["idempotent-is-decided"]);
});

test("an event that no call appended, and one whose call was refused", () => {
  const refused = append([first], [1, 2], { status: "refused", code: "SEQ_MISMATCH" });
  expect(verdict([], stored(first))).toEqual(["every-event-was-appended"]);
  expect(verdict([refused], stored(first))).toEqual(["refused-wrote-nothing"]);
  expect(verdict([refused], [])).toEqual([]);
});

test("`conflict` is true if the payload differs from the stored one", () => {
  const other = newEvent({ ...partsOf(first), eventData: { rows: 2 } });
  const answer = (conflict: boolean): PartOutcome => ({
    status: "acknowledged",
    results: [{ runSeq: 1, idempotent: true, persisted: false, conflict }],
  });
  const write = append([first], [1, 2], wrote(1));
  expect(verdict([write, append([other], [3, 4], answer(true))], stored(first))).toEqual([]);
  expect(verdict([write, append([other], [3, 4], answer(false))], stored(first))).toEqual(["conflict-is-decided"]);
});

test("a checkpoint and the tail after its label give what a full replay gives, or the label lies", () => {
  const log = stored(first, second);
  const [atOne, atTwo] = [log.slice(0, 1), log].map((events) =>
    snapshotCheckpoint(toRunSnapshot(evolveAll(initialState(RUN), events))),
  );
  const third = stepOf(RUN, "third");
  const verdictOn = (checkpoint: Checkpoint): Invariant[] => {
    const write = append([third], [5, 6], wrote(3));
    const parts = write.parts.map((part) => ({ ...part, checkpoint }));
    const operations = [append([first, second], [1, 2], wrote(1, 2)), { ...write, parts }];
    const logs = [{ runId: RUN, events: stored(first, second, third) }];
    const history: History = { operations, logs, checkpoints: [checkpoint] };
    return checkHistory(history, { replay: snapshotReplay }).violations.map((violation) => violation.invariant);
  };
  expect(verdictOn(atOne!)).toEqual([]);
  expect(verdictOn(atTwo!)).toEqual([]);
  expect(verdictOn({ ...atOne!, seq: 2 })).toEqual(["checkpoint-and-tail"]); // the second event is in neither
  expect(verdictOn({ ...atTwo!, seq: 3 })).toEqual(["checkpoint-label"]);
});

test("a killed client's calls count once: answered, if an answer was recorded", () => {
  const write = append([first], [1, 2], wrote(1));
  const unanswered: Operation = { ...write, ...append([first], [1, null], { status: "unknown" }), id: write.id };
  const merged = mergeHistories([{ operations: [unanswered, write] }, { operations: [unanswered] }]);
  expect(merged.operations).toEqual([write]);
});

function partsOf({ runId, stepId, eventType, planVersion }: NewEvent) {
  return { runId, stepId: stepId!, eventType, planVersion };
}

test("verdicts on signals: one per id, none accepted after the end, at most sixty per minute", () => {
  const signal = (signalId: string, eventType = "SignalAccepted", namespace = "signal"): NewEvent =>
    newEvent({
      runId: RUN,
      eventType,
      planVersion: "1",
      logicalAttemptId: signalId,
      eventData: { namespace, name: "go" },
    });
  const run = (eventType: string): NewEvent => newEvent({ runId: RUN, eventType, planVersion: "1" });
  const invariants = (events: readonly NewEvent[], everyMs = 1_000): Invariant[] => {
    const log = stored(...events).map((event, index) => ({
      ...event,
      persistedAt: new Date(index * everyMs).toISOString(),
    }));
    const history: History = { operations: [], logs: [{ runId: RUN, events: log }], checkpoints: [] };
    return checkHistory(history, { signals: true })
      .violations.map(({ invariant }) => invariant)
      .filter((invariant) => invariant !== "every-event-was-appended");
  };
  const many = Array.from({ length: 61 }, (_, index) => signal(`s${index}`));
  expect(
    invariants([signal("a"), signal("b", "SignalRejected"), run("RunCompleted"), signal("c", "SignalRejected")]),
  ).toEqual([]);
  expect(invariants([signal("a"), signal("a", "SignalRejected")])).toEqual(["one-verdict-per-signal"]);
  expect(invariants([run("RunCancelled"), signal("a")])).toEqual(["no-signal-after-the-end"]);
  expect(
    invariants([run("RunFailed"), signal("a", "SignalAccepted", "action"), run("RunReopened"), signal("b")]),
  ).toEqual([]);
  expect(invariants(many)).toEqual([]);
  expect(invariants(many, 999)).toEqual(["signals-per-minute"]);
});

test("published equals log: an event may repeat, but none may be lost, early or changed", { tags: ["B-01"] }, () => {
  const log = stored(first, second);
  const judged = (...published: readonly PublishedEvent[]): Invariant[] => {
    const operations = [append([first, second], [1, 2], wrote(1, 2))];
    const history = { operations, logs: [{ runId: RUN, events: log }], checkpoints: [], published };
    return checkHistory(history).violations.map((violation) => violation.invariant);
  };
  const [one, two] = log.map(({ runId, runSeq, eventId, eventData }) => {
    return { runId, seq: runSeq, eventId, digest: digestOf(eventData) };
  }) as [PublishedEvent, PublishedEvent];
  expect(judged(one, one, two, one)).toEqual([]);
  expect(judged(one)).toEqual(["published-is-log"]);
  expect(judged()).toEqual(["published-is-log"]);
  expect(judged(two, one)).toEqual(["published-is-log"]);
  expect(judged(one, { ...two, digest: digestOf(1) })).toEqual(["published-is-log"]);
  expect(judged(one, { ...two, eventId: one.eventId })).toEqual(["published-is-log"]);
  expect(judged(one, two, { ...two, seq: 3 })).toEqual(["published-is-log"]);
});
