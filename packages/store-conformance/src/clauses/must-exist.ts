import assert from "node:assert/strict";
import type { RunNotFoundError } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

/** P5: an append creates a run unless the caller requires that it exists. */
export const mustExist = clause("must-exist", [], {
  "P5: without it, the first event of any type makes the run": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "load"));
    assert.equal((await store.fetchHeads([RUN]))[0]?.headSeq, 1);
  },

  "P5: a mistyped id makes no ghost run": async ({ store }) => {
    const signal = eventOf("typo", "SignalAccepted", { logicalAttemptId: "signal-1" });
    const error = await refused<RunNotFoundError>(store.appendEvents([signal], { mustExist: true }), "RUN_NOT_FOUND");
    assert.equal(error.runId, "typo");
    assert.deepEqual(await store.fetchHeads(["typo"]), []);
    assert.deepEqual(await store.fetchEvents("typo"), []);
  },

  "P5: a run that is there takes it": async ({ store }) => {
    await store.appendEvent(eventOf(RUN, "RunStarted"));
    const results = await store.appendEvents([stepOf(RUN, "load")], { mustExist: true });
    assert.deepEqual(results, [{ runSeq: 2, idempotent: false, persisted: true }]);
  },

  "P5: a refused call leaves the run to be made by the next": async ({ store }) => {
    await refused(store.appendEvents([stepOf(RUN, "a")], { mustExist: true }), "RUN_NOT_FOUND");
    await store.appendEvent(stepOf(RUN, "b"));
    assert.deepEqual(
      (await logOf(store, RUN)).map((event) => [event.runSeq, event.stepId]),
      [[1, "b"]],
    );
  },

  "P5 P6: next to a call that makes the run, one that needs it is not answered with another's luck": async ({
    store,
  }) => {
    const calls = [
      store.appendEvents([stepOf("absent", "a")], { mustExist: true }),
      store.appendEvents([stepOf("made", "a")]),
      store.appendEvents([stepOf("absent", "b")], { mustExist: true }),
    ];
    const answers = await Promise.allSettled(calls);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      ["rejected", "fulfilled", "rejected"],
    );
    assert.deepEqual(await store.fetchHeads(["absent"]), []);
  },
});
