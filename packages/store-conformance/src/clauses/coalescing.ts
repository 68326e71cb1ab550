import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

/** P6: many callers share few commits without affecting each other. */
export const coalescing = clause("coalescing", [], {
  "P6: every concurrent caller gets the answer to its own call": async ({ store }) => {
    const calls = Array.from({ length: 200 }, (_, index) => {
      const runId = `run-${index % 20}`;
      return store.appendEvents([stepOf(runId, `a${index}`), stepOf(runId, `b${index}`)]);
    });
    const answers = await Promise.all(calls);
    for (const [index, [first, second]] of answers.entries()) {
      const log = await store.fetchEvents(`run-${index % 20}`, { afterSeq: first!.runSeq - 1, limit: 2 });
      assert.deepEqual(
        log.map((event) => [event.runSeq, event.stepId]),
        [
          [first!.runSeq, `a${index}`],
          [second!.runSeq, `b${index}`],
        ],
      );
    }
  },

  "P6: calls that are refused in the midst of others fail alone": async ({ store }) => {
    await store.appendEvent(stepOf("run-1", "first"));
    const calls = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 1
        ? store.appendEvents([stepOf("run-1", `no${index}`)], { expectedSeq: 5000 })
        : store.appendEvents([stepOf(index % 3 === 0 ? "run-1" : "run-2", `s${index}`)]),
    );
    const answers = await Promise.allSettled(calls);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      answers.map((_, index) => (index % 3 === 1 ? "rejected" : "fulfilled")),
    );
    assert.equal((await logOf(store, "run-1")).length, 11);
    assert.equal((await logOf(store, "run-2")).length, 10);
  },

  "P6 K5: one event in many calls of one batch is stored once, and told right to each": async ({ store }) => {
    const shared = stepOf("run-1", "shared");
    const calls = Array.from({ length: 20 }, (_, index) =>
      store.appendEvents([stepOf("run-1", `s${index}`), shared, stepOf("run-1", `t${index}`)]),
    );
    const answers = await Promise.all(calls);
    const told = answers.map((results) => results[1]!);
    assert.equal(told.filter((result) => result.persisted).length, 1);
    assert.equal(new Set(told.map((result) => result.runSeq)).size, 1);
    assert.equal((await logOf(store, "run-1")).length, 41);
  },

  "P6: a call that is withdrawn before it was sent writes nothing": async ({ store }) => {
    const aborted = AbortSignal.abort(new Error("changed my mind"));
    const call = store.appendEvents([stepOf("run-1", "s1")], { signal: aborted });
    await refused(call, "APPEND_WITHDRAWN");
    assert.deepEqual(await store.listHeads(), []);
  },

  "P6: a withdrawn call is either refused and not there, or answered and there": async ({ store }) => {
    const controllers = stepsOf("run-1", 30).map((event) => ({ event, controller: new AbortController() }));
    const calls = controllers.map(({ event, controller }) =>
      store.appendEvents([event], { signal: controller.signal }),
    );
    for (const { controller } of controllers) controller.abort();
    const answers = await Promise.allSettled(calls);
    const stored = new Set((await logOf(store, "run-1")).map((event) => event.stepId));
    answers.forEach((answer, index) => {
      assert.equal(stored.has(`s${index + 1}`), answer.status === "fulfilled");
      if (answer.status === "rejected") assert.equal((answer.reason as { code?: string }).code, "APPEND_WITHDRAWN");
    });
    await store.appendEvent(stepOf("run-1", "after"));
  },

  "P6: a large call does not hold up or tear the small ones around it": async ({ store, atMost }) => {
    const count = atMost(400);
    const before = store.appendEvent(stepOf("run-1", "before"));
    const large = store.appendEvents(
      stepsOf("run-1", count).map((event) => ({ ...event, eventData: { text: "x".repeat(2000) } })),
    );
    const after = store.appendEvent(stepOf("run-1", "after"));
    const [first, results, last] = await Promise.all([before, large, after]);
    assert.deepEqual(
      [first.runSeq, results[0]!.runSeq, results.at(-1)!.runSeq, last.runSeq],
      [1, 2, count + 1, count + 2],
    );
  },
});
