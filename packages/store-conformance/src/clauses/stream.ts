import assert from "node:assert/strict";
import type { CanonicalEngineEvent, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepsOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

const RUN = "run-1";

async function seqsOf(events: AsyncIterable<CanonicalEngineEvent>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const event of events) seqs.push(event.runSeq);
  return seqs;
}

async function write(store: StateStore, count: number, chunk: number): Promise<void> {
  for (let first = 1; first <= count; first += chunk)
    await store.appendEvents(stepsOf(RUN, Math.min(chunk, count + 1 - first), first));
}

/** Streams return the events that `fetchEvents` returns, without a limit. */
export const stream = clause("stream", [], {
  "a stream gives what pages give": async ({ store }) => {
    await write(store, 25, 10);
    assert.deepEqual(await logOf(store, RUN), await store.fetchEvents(RUN));
  },

  "from any seq to any seq, with both ends as requested": async ({ store }) => {
    await write(store, 10, 10);
    assert.deepEqual(await seqsOf(store.streamEvents(RUN, { afterSeq: 3, toSeq: 6 })), [4, 5, 6]);
    assert.deepEqual(await seqsOf(store.streamEvents(RUN, { toSeq: 2 })), [1, 2]);
    assert.deepEqual(await seqsOf(store.streamEvents(RUN, { afterSeq: 8, toSeq: 100 })), [9, 10]);
    assert.deepEqual(await seqsOf(store.streamEvents(RUN, { afterSeq: 5, toSeq: 5 })), []);
    assert.deepEqual(await seqsOf(store.streamEvents(RUN, { toSeq: 0 })), []);
  },

  "more events than a page holds": async ({ store, atMost }) => {
    await write(store, 2100, atMost(500));
    const seqs = await seqsOf(store.streamEvents(RUN));
    assert.equal(seqs.length, 2100);
    assert.ok(seqs.every((seq, index) => seq === index + 1));
  },

  "a reader may stop and start again": async ({ store, atMost }) => {
    await write(store, 1500, atMost(500));
    for await (const event of store.streamEvents(RUN)) if (event.runSeq === 3) break;
    for await (const event of store.streamEvents(RUN)) if (event.runSeq === 1200) break;
    assert.equal((await seqsOf(store.streamEvents(RUN, { afterSeq: 1400 }))).length, 100);
  },

  "the stream of a run without appends ends immediately": async ({ store }) => {
    assert.deepEqual(await seqsOf(store.streamEvents(RUN)), []);
  },

  "an invalid range is refused": async ({ store }) => {
    await refusedInput(seqsOf(store.streamEvents(RUN, { afterSeq: -1 })), "OPTION_INVALID", "afterSeq");
    await refusedInput(seqsOf(store.streamEvents(RUN, { toSeq: 0.5 })), "OPTION_INVALID", "toSeq");
    await refusedInput(seqsOf(store.streamEvents("a|b")), "IDENTIFIER_INVALID", "runId");
  },
});
