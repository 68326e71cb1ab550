import assert from "node:assert/strict";
import { type AppendPartialError, type NewEvent } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, placesOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

/** P1: the events of one run in one call are appended together or not at all, in call order. */
export const batchAtomicity = clause("batch-atomicity", [], {
  "P1: a call's events are numbered in call order, and answered in it": async ({ store, atMost }) => {
    const count = atMost(500);
    const results = await store.appendEvents(stepsOf(RUN, count));
    assert.deepEqual(
      results.map((result) => result.runSeq),
      Array.from({ length: count }, (_, index) => index + 1),
    );
    assert.deepEqual(
      placesOf(await logOf(store, RUN)),
      stepsOf(RUN, count).map((event, index) => [index + 1, event.stepId]),
    );
  },

  "P1: runs that alternate in a call each keep their order": async ({ store }) => {
    const events = ["a", "b", "a", "c", "b", "a"].map((runId, index) => stepOf(runId, `s${index}`));
    const results = await store.appendEvents(events);
    assert.deepEqual(
      results.map((result) => result.runSeq),
      [1, 1, 2, 1, 2, 3],
    );
    const read = await Promise.all(["a", "b", "c"].map(async (runId) => placesOf(await logOf(store, runId))));
    assert.deepEqual(read, [
      [
        [1, "s0"],
        [2, "s2"],
        [3, "s5"],
      ],
      [
        [1, "s1"],
        [2, "s4"],
      ],
      [[1, "s3"]],
    ]);
  },

  "P1: an empty call is answered with nothing, and makes nothing": async ({ store }) => {
    assert.deepEqual(await store.appendEvents([]), []);
    assert.deepEqual(await store.listHeads(), []);
  },

  "P1: acknowledged events are readable immediately": async ({ store, another }) => {
    const reader = await another();
    for (const event of stepsOf(RUN, 5)) {
      const { runSeq } = await store.appendEvent(event);
      const [found] = await reader.fetchEvents(RUN, { afterSeq: runSeq - 1 });
      assert.equal(found?.stepId, event.stepId);
    }
  },

  "P1: a run that is refused writes none of its events": async ({ store, atMost }) => {
    await store.appendEvent(eventOf(RUN, "RunStarted"));
    await refused(store.appendEvents(stepsOf(RUN, atMost(50)), { expectedSeq: 5 }), "SEQ_MISMATCH");
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "P1: one run of a call can be refused alone, and the error names its events": async ({ store }) => {
    await store.appendEvent(stepOf("there", "s0"));
    const events = [stepOf("there", "s1"), stepOf("absent", "s1"), stepOf("there", "s2")];
    const error = await refused<AppendPartialError>(store.appendEvents(events, { mustExist: true }), "APPEND_PARTIAL");
    const [first, second, third] = error.results;
    assert.deepEqual(first, { runSeq: 2, idempotent: false, persisted: true });
    assert.equal((second as { code?: string }).code, "RUN_NOT_FOUND");
    assert.deepEqual(third, { runSeq: 3, idempotent: false, persisted: true });
    assert.equal((await logOf(store, "there")).length, 3);
    assert.deepEqual(await store.fetchHeads(["absent"]), []);
  },

  "P1: a call whose runs are all refused alike gets the refusal itself": async ({ store }) => {
    const events = [stepOf("absent-1", "s1"), stepOf("absent-2", "s1")];
    await refused(store.appendEvents(events, { mustExist: true }), "RUN_NOT_FOUND");
    assert.deepEqual(await store.listHeads(), []);
  },

  "P1: one bad event, and nothing of the call is written, in no run": async ({ store }) => {
    const bad: NewEvent = { ...stepOf("run-2", "s2"), idempotencyKey: "0".repeat(64) };
    const call = store.appendEvents([stepOf(RUN, "s1"), stepOf("run-2", "s1"), bad, stepOf(RUN, "s2")]);
    await refused(call, "IDEMPOTENCY_KEY_MISMATCH");
    assert.deepEqual(await store.listHeads(), []);
  },

  "P1: calls of many events at once on one run stay together": async ({ store, another, atMost }) => {
    const count = atMost(10);
    const handles = [store, await another()];
    const calls = Array.from({ length: 12 }, (_call, call) => {
      const events = Array.from({ length: count }, (_, index) => stepOf(RUN, `call-${call}/${index}`));
      return handles[call % 2]!.appendEvents(events);
    });
    for (const results of await Promise.all(calls)) {
      const [first] = results;
      assert.deepEqual(
        results.map((result) => result.runSeq - first!.runSeq),
        Array.from({ length: count }, (_, index) => index),
      );
    }
  },
});
