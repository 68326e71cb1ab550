import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { clause } from "../clause.js";
import { stepOf, stepsOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

const RUN = "run-1";

/** Pages after a watermark, ascending. */
export const fetchWatermark = clause("fetch-watermark", [], {
  "returns events above the watermark, ascending, at most `limit`": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 10));
    const seqs = async (options?: { afterSeq?: number; limit?: number }): Promise<number[]> =>
      (await store.fetchEvents(RUN, options)).map((event) => event.runSeq);
    assert.deepEqual(await seqs(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.deepEqual(await seqs({ afterSeq: 4, limit: 3 }), [5, 6, 7]);
    assert.deepEqual(await seqs({ afterSeq: 8, limit: 3 }), [9, 10]);
    assert.deepEqual(await seqs({ limit: 1 }), [1]);
    assert.deepEqual(await seqs({ afterSeq: 10 }), []);
    assert.deepEqual(await seqs({ afterSeq: 1_000_000 }), []);
  },

  "a page has 1000 events by default": async ({ store, atMost }) => {
    const chunk = atMost(500);
    for (let first = 1; first <= 1200; first += chunk)
      await store.appendEvents(stepsOf(RUN, Math.min(chunk, 1201 - first), first));
    assert.equal((await store.fetchEvents(RUN)).length, 1000);
    assert.equal((await store.fetchEvents(RUN, { limit: 1100 })).length, 1100);
  },

  "a run without appends has no events": async ({ store }) => {
    await store.appendEvent(stepOf("run-1x", "s1"));
    assert.deepEqual(await store.fetchEvents(RUN), []);
  },

  "F6: a reader that follows its watermark while others write misses nothing": async ({ store, another }) => {
    const handles = [store, await another()];
    const calls = stepsOf(RUN, 80).map((event, index) =>
      handles[index % 2]!.appendEvents([event, stepOf(RUN, `t${index}`)]),
    );
    const seen: number[] = [];
    const follow = async (): Promise<void> => {
      for (let page = 0; page < 2000 && seen.length < 160; page++) {
        const events = await store.fetchEvents(RUN, { afterSeq: seen.at(-1) ?? 0, limit: 7 });
        seen.push(...events.map((event) => event.runSeq));
        if (events.length === 0) await setTimeout(1);
      }
    };
    await Promise.all([...calls, follow()]);
    assert.deepEqual(
      seen,
      Array.from({ length: 160 }, (_, index) => index + 1),
    );
  },

  "invalid watermarks and limits are refused": async ({ store }) => {
    for (const afterSeq of [-1, 0.5, Number.NaN, "1" as unknown as number])
      await refusedInput(store.fetchEvents(RUN, { afterSeq }), "OPTION_INVALID", "afterSeq");
    for (const limit of [0, -1, 1.5, Number.POSITIVE_INFINITY])
      await refusedInput(store.fetchEvents(RUN, { limit }), "OPTION_INVALID", "limit");
    await refusedInput(store.fetchEvents(""), "IDENTIFIER_INVALID", "runId");
  },
});
