import assert from "node:assert/strict";
import type { NewEvent, SeqMismatchError, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf, stepsOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";

const RUN = "run-1";
const LONG_AGO = "2020-01-01T00:00:00.000Z";

function verdictOn(signalId: string, eventType = "SignalAccepted"): NewEvent {
  return eventOf(RUN, eventType, { logicalAttemptId: signalId, eventData: { namespace: "signal", name: "go" } });
}

async function started(store: StateStore): Promise<void> {
  await store.appendEvents([eventOf(RUN, "RunStarted")]);
}

/** Returns a time that the store's clock reaches `ms` after the run's last event. */
async function after(store: StateStore, ms: number): Promise<string> {
  const [head] = await store.fetchHeads([RUN]);
  return new Date(Date.parse(head!.persistedAt) + ms).toISOString();
}

/** G1, P9: a verdict on a signal is stored only while it holds. The store decides under the head's lock. */
export const judgedSignals = clause("judged-signals", [], {
  "G1: events of other steps do not refuse a verdict": async ({ store }) => {
    await started(store);
    await store.appendEvents(stepsOf(RUN, 3));
    const [result] = await store.appendEvents([verdictOn("a")], { judgedAt: { seq: 1 } });
    assert.equal(result!.runSeq, 5);
  },

  "G1: a later run-level event refuses a verdict, with the head": async ({ store }) => {
    await started(store);
    await store.appendEvents([stepOf(RUN, "s1"), eventOf(RUN, "RunCompleted")]);
    for (const seq of [1, 2]) {
      const call = store.appendEvents([verdictOn("a")], { judgedAt: { seq } });
      const error = await refused<SeqMismatchError>(call, "SEQ_MISMATCH");
      assert.deepEqual([error.runId, error.expectedSeq, error.headSeq], [RUN, seq, 3]);
    }
    await store.appendEvents([verdictOn("a", "SignalRejected")], { judgedAt: { seq: 3 } });
    assert.equal((await logOf(store, RUN)).length, 4);
  },

  "G1: a later event of its step refuses a verdict about a step": async ({ store }) => {
    await started(store);
    await store.appendEvents([stepOf(RUN, "s1"), stepOf(RUN, "s2")]);
    const call = store.appendEvents([verdictOn("a")], { judgedAt: { seq: 2, stepId: "s2" } });
    await refused(call, "SEQ_MISMATCH");
    await store.appendEvents([verdictOn("a")], { judgedAt: { seq: 2, stepId: "s1" } });
    assert.equal((await logOf(store, RUN)).length, 4);
  },

  "P9: a signal before its time is refused by the store's clock, and nothing is written": async ({ store }) => {
    await started(store);
    const notBefore = await after(store, 3_600_000);
    const events = [verdictOn("a"), eventOf(RUN, "RunReopened")];
    const error = await refused(store.appendEvents(events, { judgedAt: { seq: 1, notBefore } }), "SIGNAL_LIMIT");
    assert.ok(error.message.includes(notBefore), error.message);
    assert.equal((await logOf(store, RUN)).length, 1);
    await store.appendEvents(events, { judgedAt: { seq: 1, notBefore: LONG_AGO } });
    assert.equal((await logOf(store, RUN)).length, 3);
  },

  "P9: a change of the run is reported before the limit": async ({ store }) => {
    await started(store);
    await store.appendEvents([eventOf(RUN, "RunPaused")]);
    const notBefore = await after(store, 3_600_000);
    await refused(store.appendEvents([verdictOn("a")], { judgedAt: { seq: 1, notBefore } }), "SEQ_MISMATCH");
  },

  "G1 K5: a stored verdict is answered regardless of later events": async ({ store }) => {
    await started(store);
    const verdict = verdictOn("a");
    await store.appendEvents([verdict], { judgedAt: { seq: 1 } });
    await store.appendEvents([eventOf(RUN, "RunCompleted")]);
    const notBefore = await after(store, 3_600_000);
    const results = await store.appendEvents([verdict], { judgedAt: { seq: 1, notBefore } });
    assert.deepEqual(results, [{ runSeq: 2, idempotent: true, persisted: false }]);
  },

  "G1: of twenty contradicting verdicts on one signal one is stored": async ({ store, another }) => {
    await started(store);
    const handles = [store, await another()];
    const calls = Array.from({ length: 20 }, (_, index) => {
      const verdict = verdictOn("a", index % 4 < 2 ? "SignalAccepted" : "SignalRejected");
      return handles[index % 2]!.appendEvents([verdict], { judgedAt: { seq: 1 } });
    });
    const answers = await Promise.allSettled(calls);
    const seqs = (await logOf(store, RUN)).map(({ runSeq }) => runSeq);
    assert.equal(seqs.length, 2);
    const stored = seqs[1]!;
    if (store.capabilities.contiguous) assert.equal(stored, 2);
    for (const answer of answers) {
      if (answer.status === "rejected") assert.equal((answer.reason as SeqMismatchError).headSeq, stored);
      else assert.equal(answer.value[0]!.runSeq, stored);
    }
  },

  "G1 P5: a verdict needs a run, and belongs to one": async ({ store }) => {
    await refused(store.appendEvents([verdictOn("a")], { judgedAt: { seq: 1 } }), "RUN_NOT_FOUND");
    const events = [verdictOn("a"), stepOf("run-2", "s1")];
    await refusedInput(store.appendEvents(events, { judgedAt: { seq: 1 } }), "OPTION_INVALID", "options");
    assert.deepEqual(await store.listHeads(), []);
  },

  "G1: conditions that make no sense are refused": async ({ store }) => {
    const call = (judgedAt: object) => store.appendEvents([verdictOn("a")], { judgedAt: judgedAt as { seq: number } });
    await refusedInput(call({ seq: 0 }), "OPTION_INVALID", "options.judgedAt.seq");
    await refusedInput(call({ seq: 1, stepId: "" }), "IDENTIFIER_INVALID", "options.judgedAt.stepId");
    for (const notBefore of ["soon", "2026-02-30T00:00:00.000Z"])
      await refusedInput(call({ seq: 1, notBefore }), "OPTION_INVALID", "options.judgedAt.notBefore");
  },
});
