import assert from "node:assert/strict";
import type { CanonicalEngineEvent, RunCopy, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf, stepsOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";
const LONG_AGO = "2020-02-29T23:59:59.123Z";

/** Events as another store recorded them. */
function recorded(runId: string, steps: number): CanonicalEngineEvent[] {
  const events = [
    eventOf(runId, "RunStarted"),
    ...stepsOf(runId, steps, 1),
    stepOf(runId, "last", {
      eventData: { nested: [{ z: 1, a: null }], text: "it's 日本" },
      engineRunRef: { at: "there" },
    }),
  ];
  return events.map((event, index) => ({ ...event, runSeq: index + 1, persistedAt: LONG_AGO }));
}

const copyOf = (events: readonly CanonicalEngineEvent[], change: Partial<RunCopy> = {}): RunCopy => ({
  runId: events[0]!.runId,
  tenantId: "acme",
  afterSeq: 0,
  events,
  place: null,
  ...change,
});

const headSeqOf = async (store: StateStore, runId = RUN) => (await store.fetchHeads([runId]))[0]?.headSeq;

/** Events that another store recorded are stored unchanged. */
export const copies = clause("copies", ["copies"], {
  "a copy has the numbers, times and payloads of what it is a copy of": async ({ store }) => {
    const events = recorded(RUN, 3);
    await store.copies.writeCopies([copyOf(events)]);
    assert.deepEqual(await logOf(store, RUN), events);
    const [head] = await store.fetchHeads([RUN]);
    assert.deepEqual([head?.headSeq, head?.tenantId, head?.persistedAt], [5, "acme", LONG_AGO]);
    assert.deepEqual(await logOf(store.forTenant("other"), RUN), []);
  },

  "a copy continues where it ends, and refuses events that it already has": async ({ store }) => {
    const events = recorded(RUN, 3);
    await store.copies.writeCopies([copyOf(events.slice(0, 2))]);
    await refused(store.copies.writeCopies([copyOf(events.slice(0, 2))]), "SEQ_MISMATCH");
    await store.copies.writeCopies([copyOf(events.slice(2), { afterSeq: 2 })]);
    await refused(store.copies.writeCopies([copyOf(events.slice(2), { afterSeq: 2 })]), "SEQ_MISMATCH");
    assert.deepEqual(await logOf(store, RUN), events);
  },

  "copies of several runs are stored together or not at all": async ({ store }) => {
    const [one, two] = [recorded(RUN, 1), recorded("run-2", 2)];
    await refused(store.copies.writeCopies([copyOf(one), copyOf(two.slice(1), { afterSeq: 1 })]), "SEQ_MISMATCH");
    assert.deepEqual(await logOf(store, RUN), []);
    await store.copies.writeCopies([copyOf(two), copyOf(one)]);
    assert.deepEqual([await headSeqOf(store), await headSeqOf(store, "run-2")], [3, 4]);
  },

  "it appends, and answers duplicates, as if it had recorded the run itself": async ({ store }) => {
    await store.copies.writeCopies([copyOf(recorded(RUN, 2))]);
    const [again, fresh] = await store.forTenant("acme").appendEvents([stepOf(RUN, "s2"), stepOf(RUN, "new")]);
    assert.deepEqual([again?.runSeq, again?.idempotent, fresh?.runSeq, fresh?.idempotent], [3, true, 5, false]);
  },

  "a run of another tenant is not written to": async ({ store }) => {
    const events = recorded(RUN, 2);
    await store.copies.writeCopies([copyOf(events.slice(0, 2))]);
    const foreign = copyOf(events.slice(2), { afterSeq: 2, tenantId: "other" });
    await refused(store.copies.writeCopies([foreign]), "COPY_MISMATCH");
    assert.equal(await headSeqOf(store), 2);
  },

  "events that no store could have recorded are refused": async ({ store }) => {
    const events = recorded(RUN, 2);
    const gap = [events[0]!, events[2]!];
    await refused(store.copies.writeCopies([copyOf(gap)]), "EVENT_INVALID");
    const forged = [{ ...events[0]!, idempotencyKey: "0".repeat(64) }];
    await refused(store.copies.writeCopies([copyOf(forged)]), "IDEMPOTENCY_KEY_MISMATCH");
    await refused(store.copies.writeCopies([copyOf(events, { runId: "run-2" })]), "EVENT_INVALID");
    const { persistedAt: _, ...undated } = events[0]!;
    await refused(store.copies.writeCopies([copyOf([undated])]), "EVENT_INVALID");
    await store.copies.writeCopies([]);
    assert.deepEqual(await store.listHeads(), []);
  },
});
