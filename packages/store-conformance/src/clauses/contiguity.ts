import assert from "node:assert/strict";
import type { StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

/** P2: numbers are 1 to n. P10: the numbers of a store that declares gaps only have to increase. */
async function assertNumbered(store: StateStore, runId: string, count: number): Promise<void> {
  const seqs = (await logOf(store, runId)).map((event) => event.runSeq);
  assert.equal(seqs.length, count);
  seqs.forEach((seq, index) => {
    const expected = store.capabilities.contiguous ? seq === index + 1 : seq > (seqs[index - 1] ?? 0);
    assert.ok(expected, `event ${index + 1} of ${runId} has seq ${seq}: ${seqs.join()}`);
  });
}

/** P2, P10: the numbers of a run's events. */
export const contiguity = clause("contiguity", [], {
  "P2: every run is numbered from 1": async ({ store }) => {
    for (const event of stepsOf(RUN, 3)) await store.appendEvent(event);
    await store.appendEvents(stepsOf("run-2", 2));
    await assertNumbered(store, RUN, 3);
    await assertNumbered(store, "run-2", 2);
  },

  "P2: duplicates use up no number": async ({ store }) => {
    const [first, second, third] = stepsOf(RUN, 3);
    await store.appendEvent(first!);
    await store.appendEvents([first!, second!, first!]);
    await store.appendEvents([second!, third!]);
    await assertNumbered(store, RUN, 3);
  },

  "P2: refused calls use up no number": async ({ store }) => {
    await store.appendEvent(stepOf(RUN, "s1"));
    await refused(store.appendEvents(stepsOf(RUN, 2, 2), { expectedSeq: 7 }), "SEQ_MISMATCH");
    await refused(store.appendEvents([{ ...stepOf(RUN, "s2"), stepId: "" }]), "IDENTIFIER_INVALID");
    await store.appendEvent(stepOf(RUN, "s3"));
    await assertNumbered(store, RUN, 2);
  },

  "P2: a hundred calls at once on one run, and on many": async ({ store }) => {
    const hot = stepsOf(RUN, 100).map((event) => store.appendEvent(event));
    const many = Array.from({ length: 100 }, (_, index) =>
      store.appendEvent(stepOf(`run-${index % 10}x`, `s${index}`)),
    );
    await Promise.all([...hot, ...many]);
    await assertNumbered(store, RUN, 100);
    for (let index = 0; index < 10; index++) await assertNumbered(store, `run-${index}x`, 10);
  },

  "P2: two handles at once on one run": async ({ store, another }) => {
    const other = await another();
    const calls = stepsOf(RUN, 60).map((event, index) => (index % 2 === 0 ? store : other).appendEvent(event));
    await Promise.all(calls);
    await assertNumbered(store, RUN, 60);
  },
});
