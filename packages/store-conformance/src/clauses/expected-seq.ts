import assert from "node:assert/strict";
import type { SeqMismatchError } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";

const RUN = "run-1";

/** P3: checked under the head's lock. A mismatch writes nothing and reports the head. */
export const expectedSeq = clause("expected-seq", [], {
  "P3: the right head lets the call through": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 2), { expectedSeq: 0 });
    const results = await store.appendEvents(stepsOf(RUN, 2, 3), { expectedSeq: 2 });
    assert.deepEqual(
      results.map((result) => result.runSeq),
      [3, 4],
    );
  },

  "P3: a head that is too low or too high is refused, with the right one": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    for (const expected of [0, 2, 4, 1000]) {
      const call = store.appendEvents(stepsOf(RUN, 2, 4), { expectedSeq: expected });
      const error = await refused<SeqMismatchError>(call, "SEQ_MISMATCH");
      assert.deepEqual([error.runId, error.expectedSeq, error.headSeq], [RUN, expected, 3]);
    }
    assert.equal((await logOf(store, RUN)).length, 3);
  },

  "P3 P5: a run that does not exist has no head to expect": async ({ store }) => {
    await refused(store.appendEvents([stepOf(RUN, "s1")], { expectedSeq: 3 }), "RUN_NOT_FOUND");
    assert.deepEqual(await store.fetchHeads([RUN]), []);
  },

  "P3 K5: a stored event is answered regardless of the expected head": async ({ store }) => {
    const [first, second] = stepsOf(RUN, 2);
    await store.appendEvents([first!], { expectedSeq: 0 });
    await store.appendEvents([second!], { expectedSeq: 1 });
    const results = await store.appendEvents([first!], { expectedSeq: 0 });
    assert.deepEqual(results, [{ runSeq: 1, idempotent: true, persisted: false }]);
  },

  "P3: a call that is only in part stored is held to its condition": async ({ store }) => {
    const [first, second] = stepsOf(RUN, 2);
    await store.appendEvent(first!);
    await refused(store.appendEvents([first!, second!], { expectedSeq: 0 }), "SEQ_MISMATCH");
    const results = await store.appendEvents([first!, second!], { expectedSeq: 1 });
    assert.deepEqual(
      results.map(({ runSeq, idempotent }) => [runSeq, idempotent]),
      [
        [1, true],
        [2, false],
      ],
    );
  },

  "P3: of twenty who expect the same head one gets through": async ({ store, another }) => {
    await store.appendEvent(stepOf(RUN, "s0"));
    const handles = [store, await another()];
    const calls = stepsOf(RUN, 20).map((event, index) => handles[index % 2]!.appendEvents([event], { expectedSeq: 1 }));
    const answers = await Promise.allSettled(calls);
    assert.equal(answers.filter((answer) => answer.status === "fulfilled").length, 1);
    for (const answer of answers) {
      if (answer.status === "rejected") assert.equal((answer.reason as SeqMismatchError).headSeq, 2);
    }
    assert.equal((await logOf(store, RUN)).length, 2);
  },

  "P3: one expected head cannot stand for two runs": async ({ store }) => {
    const events = [stepOf(RUN, "s1"), stepOf("run-2", "s1")];
    await refusedInput(store.appendEvents(events, { expectedSeq: 0 }), "OPTION_INVALID", "options");
    assert.deepEqual(await store.listHeads(), []);
  },

  "P3: a value that is not a head is refused": async ({ store }) => {
    for (const expected of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1" as unknown as number]) {
      const call = store.appendEvents([stepOf(RUN, "s1")], { expectedSeq: expected });
      await refusedInput(call, "OPTION_INVALID", "options.expectedSeq");
    }
    assert.deepEqual(await store.listHeads(), []);
  },
});
