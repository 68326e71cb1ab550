// @module-tag L-23
import { expect, test } from "vitest";
import {
  AppendPartialError,
  newEvent,
  OutcomeUnknownError,
  RunNotFoundError,
  StaleLeaseError,
  StopError,
  type AppendOptions,
  type AppendResult,
  type NewEvent,
} from "@runledger/contracts";
import { prepareCall, type RunAppend, type RunOutcome } from "./append-call.js";
import { Coalescer, type CoalescerOptions } from "./coalescer.js";

/** A backend whose batches the test answers by hand. */
class Backend {
  readonly batches: {
    readonly parts: readonly RunAppend[];
    answer: (outcomes?: readonly RunOutcome[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  readonly coalescer: Coalescer;

  constructor(options: Partial<CoalescerOptions> = {}) {
    this.coalescer = new Coalescer({
      send: (parts) =>
        new Promise((resolve, reject) => {
          this.batches.push({ parts, answer: (outcomes = parts.map(stored)) => resolve(outcomes), fail: reject });
        }),
      soon: queueMicrotask,
      maxBatchesInFlight: 4,
      maxEvents: 100,
      maxBytes: 10_000,
      ...options,
    });
  }

  append(events: readonly NewEvent[], options: AppendOptions = {}): Promise<readonly AppendResult[]> {
    const results = this.coalescer.append(prepareCall(events, options), options.signal);
    results.catch(() => {}); // looked at later
    return results;
  }

  /** Returns the run ids of each batch so far. */
  sent(): string[][] {
    return this.batches.map(({ parts }) => parts.map(({ runId }) => runId));
  }
}

const stored = (part: RunAppend): RunOutcome =>
  part.events.map((_, i) => ({ runSeq: i + 1, idempotent: false, persisted: true }));
const settle = () => new Promise((resolve) => setImmediate(resolve));
let count = 0;
const event = (runId: string, eventData = {}) =>
  newEvent({ runId, stepId: `s${++count}`, eventType: "StepStarted", planVersion: "1", eventData });

test("P6: an idle store is sent to at once; calls gather while batches are in flight", async () => {
  const backend = new Backend({ maxBatchesInFlight: 1 });
  const first = backend.append([event("a")]);
  await settle();
  const gathered = [backend.append([event("b")]), backend.append([event("c")]), backend.append([event("c")])];
  await settle();
  expect(backend.sent()).toEqual([["a"]]);
  backend.batches[0]!.answer();
  expect(await first).toHaveLength(1);
  await settle();
  expect(backend.sent()).toEqual([["a"], ["b", "c", "c"]]);
  backend.batches[1]!.answer();
  await Promise.all(gathered);
});

test("P6: at most so many batches are in flight, and they never share a run", async () => {
  const backend = new Backend({ maxBatchesInFlight: 2 });
  for (const run of ["a", "a", "b", "c"]) {
    void backend.append([event(run)]);
    await settle();
  }
  expect(backend.sent()).toEqual([["a"], ["b"]]); // the second a waits for the first, c for a free batch
  backend.batches[0]!.answer();
  await settle();
  expect(backend.sent()).toEqual([["a"], ["b"], ["a", "c"]]);
});

test("P6: a run's calls keep their order, also behind one that cannot come along", async () => {
  const backend = new Backend();
  const options: AppendOptions[] = [{}, { expectedSeq: 1 }, {}];
  options.forEach((option) => void backend.append([event("a")], option));
  void backend.append([event("b")]);
  await settle();
  expect(backend.sent()).toEqual([["a", "b"]]);
  backend.batches[0]!.answer();
  await settle();
  expect(backend.batches[1]!.parts.map(({ expectedSeq }) => expectedSeq)).toEqual([1]);
  backend.batches[1]!.answer();
  await settle();
  expect(backend.batches[2]!.parts.map(({ expectedSeq }) => expectedSeq)).toEqual([null]);
});

test("P6: one fence per run and batch", async () => {
  const backend = new Backend();
  for (const fence of [3, 3, 4]) void backend.append([event("a")], { fence });
  await settle();
  expect(backend.batches[0]!.parts.map(({ fence }) => fence)).toEqual([3, 3]);
  backend.batches[0]!.answer();
  await settle();
  expect(backend.batches[1]!.parts.map(({ fence }) => fence)).toEqual([4]);
});

test("a batch is bounded in events and bytes; a call that is larger goes alone", async () => {
  const backend = new Backend({ maxBatchesInFlight: 1, maxEvents: 3, maxBytes: 1000 });
  const large = event("big", { text: "x".repeat(2000) });
  for (const events of [[event("a"), event("a")], [event("b"), event("b")], [large], [event("c")]])
    void backend.append(events);
  for (let i = 0; i < 4; i++) {
    await settle();
    backend.batches[i]?.answer();
  }
  expect(backend.sent()).toEqual([["a", "c"], ["b"], ["big"]]);
});

test("each caller gets its own answer: a refused run fails alone", async () => {
  const backend = new Backend();
  const [a, b, both] = [
    backend.append([event("a")]),
    backend.append([event("b")]),
    backend.append([event("c"), event("d"), event("c")]),
  ];
  await settle();
  const [ok, refused] = [[{ runSeq: 7, idempotent: false, persisted: true }], new StaleLeaseError("b", 1, 2)];
  const two = [ok[0]!, { runSeq: 8, idempotent: false, persisted: true }];
  backend.batches[0]!.answer([ok, refused, two, refused]);
  expect(await a).toEqual(ok);
  await expect(b).rejects.toBe(refused);
  await expect(both).rejects.toBeInstanceOf(AppendPartialError);
  await expect(both).rejects.toMatchObject({ results: [two[0], refused, two[1]] });
});

test("a call over several runs is answered in call order", async () => {
  const backend = new Backend();
  const call = backend.append([event("a"), event("b"), event("a")]);
  await settle();
  backend.batches[0]!.answer();
  expect((await call).map(({ runSeq }) => runSeq)).toEqual([1, 1, 2]);
});

test("a full batch leaves the rest for the next one", async () => {
  const backend = new Backend({ maxBatchesInFlight: 1, maxEvents: 2 });
  for (const run of ["a", "b", "c"]) void backend.append([event(run)]);
  await settle();
  expect(backend.sent()).toEqual([["a", "b"]]);
});

test("waiting calls are divided among the free batches, but not into batches that are too small", async () => {
  const backend = new Backend({ maxBatchesInFlight: 4, worthABatch: 3 });
  for (let i = 0; i < 8; i++) void backend.append([event(`run-${i}`)]);
  await settle();
  expect(backend.sent().map(({ length }) => length)).toEqual([3, 3, 2]);
  const hot = new Backend({ maxBatchesInFlight: 4, worthABatch: 1 });
  for (let i = 0; i < 8; i++) void hot.append([event("hot")]);
  await settle();
  expect(hot.sent().map(({ length }) => length)).toEqual([8]); // calls of one run cannot be in two batches at a time
});

test("next to two batches calls gather until they are half of what one carries, or until one is answered", async () => {
  const backend = new Backend({ worthABatch: 4 });
  const sizes = () => backend.sent().map(({ length }) => length);
  for (let i = 0; i < 9; i++) void backend.append([event(`run-${i}`)]);
  await settle();
  expect(sizes()).toEqual([4, 4]); // the ninth waits for further calls
  void backend.append([event("run-9")]);
  await settle();
  expect(sizes()).toEqual([4, 4, 2]);
  void backend.append([event("run-10")]);
  await settle();
  expect(sizes()).toEqual([4, 4, 2]);
  backend.batches[0]!.answer();
  backend.batches[1]!.answer();
  await settle();
  expect(sizes()).toEqual([4, 4, 2, 1]);
});

test("a call whose runs are all refused with one code throws it; with different codes it throws APPEND_PARTIAL", async () => {
  const backend = new Backend();
  const [alike, mixed] = [backend.append([event("a"), event("b")]), backend.append([event("c"), event("d")])];
  await settle();
  const [a, b] = [new RunNotFoundError("a"), new RunNotFoundError("b")];
  backend.batches[0]!.answer([a, b, a, new StaleLeaseError("d", 1, 2)]);
  await expect(alike).rejects.toBe(a);
  await expect(mixed).rejects.toBeInstanceOf(AppendPartialError);
});

test("P6: a batch-wide error is bisected, so that one bad call fails alone", async () => {
  const bad = new StopError("STORE_FAULT", "bad");
  const sizes: number[] = [];
  const coalescer = new Coalescer({
    send: async (parts) => {
      sizes.push(parts.length);
      if (parts.some(({ runId }) => runId === "bad")) throw bad;
      return parts.map(stored);
    },
    soon: queueMicrotask,
    maxBatchesInFlight: 4,
    maxEvents: 100,
    maxBytes: 10_000,
  });
  const runs = ["a", "b", "bad", "c", "d"];
  const results = await Promise.allSettled(runs.map((run) => coalescer.append(prepareCall([event(run)]))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(results[2]).toMatchObject({ reason: bad });
  expect(sizes).toEqual([5, 2, 3, 1, 2]);
});

test("P7: a batch with an unknown outcome is not retried: every caller gets OUTCOME_UNKNOWN", async () => {
  const backend = new Backend();
  const calls = [backend.append([event("a")]), backend.append([event("b")])];
  await settle();
  backend.batches[0]!.fail(new OutcomeUnknownError());
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
  expect(backend.batches).toHaveLength(1);
});

test("P6: a call withdrawn before it is sent leaves the queue; one that was sent is answered", async () => {
  const backend = new Backend({ maxBatchesInFlight: 1 });
  const [early, sent, waiting] = [new AbortController(), new AbortController(), new AbortController()];
  early.abort(new Error("too early"));
  await expect(backend.append([event("z")], { signal: early.signal })).rejects.toMatchObject({
    code: "APPEND_WITHDRAWN",
  });
  const first = backend.append([event("a")], { signal: sent.signal });
  await settle();
  const second = backend.append([event("b")], { signal: waiting.signal });
  sent.abort();
  waiting.abort();
  await expect(second).rejects.toMatchObject({ code: "APPEND_WITHDRAWN" });
  backend.batches[0]!.answer();
  expect(await first).toHaveLength(1);
  await settle();
  expect(backend.sent()).toEqual([["a"]]);
});

test("close sends what is queued, waits for it, and refuses what comes after", async () => {
  const backend = new Backend({ maxBatchesInFlight: 1 });
  const calls = [backend.append([event("a")])];
  await settle();
  calls.push(backend.append([event("b")]));
  let closed = false;
  const closing = backend.coalescer.close().then(() => (closed = true));
  await expect(backend.append([event("c")])).rejects.toMatchObject({ code: "STORE_CLOSED" });
  backend.batches[0]!.answer();
  await settle();
  expect(closed).toBe(false);
  backend.batches[1]!.answer();
  await Promise.all([...calls, closing]);
  await backend.coalescer.close();
});

test("close does not wait for a call that was withdrawn", async () => {
  const backend = new Backend();
  const controller = new AbortController();
  const call = backend.append([event("a")], { signal: controller.signal });
  const closing = backend.coalescer.close();
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "APPEND_WITHDRAWN" });
  await closing;
  expect(backend.batches).toHaveLength(0);
});

test("a call without events is answered without the store", async () => {
  const backend = new Backend();
  expect(await backend.append([])).toEqual([]);
  expect(backend.batches).toHaveLength(0);
});

const checkpoint = { runId: "a", seq: 1, format: 1, data: "{}", checksum: "0".repeat(64) };
test.each<[string, () => readonly NewEvent[], AppendOptions]>([
  ["options", () => [event("a"), event("b")], { expectedSeq: 1 }],
  ["options", () => [], { fence: 1 }],
  ["options.expectedSeq", () => [event("a")], { expectedSeq: -1 }],
  ["options.fence", () => [event("a")], { fence: 0.5 }],
  ["options.checkpoint.runId", () => [event("b")], { checkpoint }],
  ["options.checkpoint.seq", () => [event("a")], { checkpoint: { ...checkpoint, seq: Number.NaN } }],
  ["options.checkpoint.format", () => [event("a")], { checkpoint: { ...checkpoint, format: 0 } }],
  ["options.checkpoint.data", () => [event("a")], { checkpoint: { ...checkpoint, data: "\0" } }],
  ["options.checkpoint.data", () => [event("a")], { checkpoint: { ...checkpoint, data: 1 as never } }],
  ["options.checkpoint.checksum", () => [event("a")], { checkpoint: { ...checkpoint, checksum: "x" } }],
])("a wrong %s is refused before anything is sent", { tags: ["L-22"] }, (field, events, options) => {
  expect(() => prepareCall(events(), options)).toThrow(expect.objectContaining({ code: "OPTION_INVALID", field }));
});

test("a checkpoint travels with the run it belongs to", { tags: ["L-25"] }, () => {
  expect(prepareCall([event("a")], { checkpoint }).runs[0]!.checkpoint).toBe(checkpoint);
});

test("events that are no array are refused", { tags: ["L-30"] }, () => {
  expect(() => prepareCall(event("a") as never)).toThrow(
    expect.objectContaining({ code: "EVENT_INVALID", field: "events" }),
  );
});

test(
  "P4: what an engine writes needs a fence once a run is leased; signals, reopenings and unknown types do not",
  { tags: ["L-22"] },
  () => {
    const needs = (eventType: string) =>
      prepareCall([newEvent({ runId: "a", eventType, planVersion: "1" })]).runs[0]!.needsFence;
    expect(["RunStarted", "StepsReset", "RunTakenOver"].map(needs)).toEqual([true, true, true]);
    expect(["SignalAccepted", "SignalRejected", "RunReopened", "Custom"].map(needs)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  },
);

test("P6: who is alone, and was so before, is sent without waiting for others; after a shared batch they are waited for", async () => {
  const asked: string[] = [];
  const noted = (how: string) => (run: () => void) => {
    asked.push(how);
    queueMicrotask(run);
  };
  const backend = new Backend({ soon: noted("soon"), alone: noted("alone") });
  const answered = async (batch: number) => {
    await settle();
    backend.batches[batch]!.answer();
    await settle();
  };
  void backend.append([event("a")]);
  await answered(0);
  void backend.append([event("a")]);
  void backend.append([event("b")]);
  await answered(1);
  void backend.append([event("a")]);
  await settle();
  void backend.append([event("b")]); // next to a batch that is in flight
  await answered(2);
  expect(asked).toEqual(["alone", "alone", "soon", "soon"]);
  expect(backend.sent()).toEqual([["a"], ["a", "b"], ["a"], ["b"]]);
});
