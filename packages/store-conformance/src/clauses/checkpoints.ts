import assert from "node:assert/strict";
import { sha256Hex, type Checkpoint } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";

const RUN = "run-1";

function checkpointAt(seq: number, data = `state at ${seq}`): Checkpoint {
  return { runId: RUN, seq, format: 1, data, checksum: sha256Hex(data) };
}

const faults: readonly (readonly [what: string, wrong: Partial<Record<keyof Checkpoint, unknown>>, field: string])[] = [
  ["of another run", { runId: "run-2" }, "runId"],
  ["with a negative seq", { seq: -1 }, "seq"],
  ["with a broken seq", { seq: 1.5 }, "seq"],
  ["without a format", { format: 0 }, "format"],
  ["with a format above 2^31", { format: 2 ** 40 }, "format"],
  ["with data that is not a string", { data: 7 }, "data"],
  ["with a NUL in its data", { data: "a\u0000b" }, "data"],
  ["with half a surrogate pair in its data", { data: "half a pair: \ud83d" }, "data"],
  ["with a checksum that is no SHA-256", { checksum: "not hex" }, "checksum"],
  ["with a checksum that is not a string", { checksum: 7 }, "checksum"],
];

/**
 * C2: a checkpoint is saved in the append's transaction and labeled with the seq folded before it. Only a higher label
 * replaces it.
 */
export const checkpoints = clause("checkpoints", ["checkpoints"], {
  "C2: a checkpoint is saved with its append and comes back whole": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    const checkpoint = checkpointAt(3, '{"quote\\"s": "and 日本 🜁 \\\\ \\n"}');
    await store.appendEvents(stepsOf(RUN, 2, 4), { checkpoint });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpoint);
  },

  "C2: a run without one has none": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 1));
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
    assert.equal(await store.checkpoints.loadCheckpoint("absent"), null);
  },

  "C2: only a greater label replaces": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 5));
    await store.appendEvents(stepsOf(RUN, 1, 6), { checkpoint: checkpointAt(4) });
    await store.appendEvents(stepsOf(RUN, 1, 7), { checkpoint: checkpointAt(2) });
    await store.appendEvents(stepsOf(RUN, 1, 8), { checkpoint: checkpointAt(4, "another at 4") });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpointAt(4));
    await store.appendEvents(stepsOf(RUN, 1, 9), { checkpoint: checkpointAt(8) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpointAt(8));
  },

  "C2: a label above the head before its append is not saved; the events are": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    await store.appendEvents(stepsOf(RUN, 2, 4), { checkpoint: checkpointAt(5) });
    await store.appendEvents(stepsOf(RUN, 1, 6), { checkpoint: checkpointAt(6) });
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
    assert.equal((await logOf(store, RUN)).length, 6);
  },

  "C2: repeating the call does not make its own seq a label that fits": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    for (let call = 0; call < 2; call++)
      await store.appendEvents(stepsOf(RUN, 2, 4), { checkpoint: checkpointAt(5, "labeled with its own append") });
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
  },

  "C2: the first event of a run may carry the empty state": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 1), { checkpoint: checkpointAt(0) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpointAt(0));
  },

  "C2 P3: a refused append saves no checkpoint": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    const call = store.appendEvents(stepsOf(RUN, 1, 4), { checkpoint: checkpointAt(3), expectedSeq: 2 });
    await refused(call, "SEQ_MISMATCH");
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
  },

  "C2 K5: next to a duplicate it is saved anyway": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    await store.appendEvents([stepOf(RUN, "s3"), stepOf(RUN, "s4")], { checkpoint: checkpointAt(3) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpointAt(3));
  },

  "C2 K5: next to a duplicate, an older one does not replace it": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 5));
    await store.appendEvents(stepsOf(RUN, 1, 6), { checkpoint: checkpointAt(5) });
    await store.appendEvents([stepOf(RUN, "s6"), stepOf(RUN, "s7")], { checkpoint: checkpointAt(2) });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpointAt(5));
  },

  "C2 P6: checkpoints of many runs in one batch": async ({ store }) => {
    const runIds = Array.from({ length: 8 }, (_, index) => `run-${index}x`);
    await Promise.all(runIds.map((runId) => store.appendEvents(stepsOf(runId, 2))));
    const calls = runIds.map((runId, index) => {
      const checkpoint = { ...checkpointAt(2, `of ${runId}`), runId };
      return store.appendEvents(stepsOf(runId, 1, 3), index % 2 === 0 ? { checkpoint } : {});
    });
    await Promise.all(calls);
    const loaded = await Promise.all(runIds.map((runId) => store.checkpoints.loadCheckpoint(runId)));
    assert.deepEqual(
      loaded.map((checkpoint) => checkpoint?.data ?? null),
      runIds.map((runId, index) => (index % 2 === 0 ? `of ${runId}` : null)),
    );
  },

  "C3: a checkpoint of 300 KB is kept": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 1));
    const checkpoint = checkpointAt(1, "x".repeat(300 * 1024));
    await store.appendEvents(stepsOf(RUN, 1, 2), { checkpoint });
    assert.deepEqual(await store.checkpoints.loadCheckpoint(RUN), checkpoint);
  },

  ...Object.fromEntries(
    faults.map(([what, wrong, field]) => [
      `C2: a checkpoint ${what} is refused, with its append`,
      async ({ store }) => {
        await store.appendEvents(stepsOf(RUN, 3));
        const checkpoint = { ...checkpointAt(3), ...wrong } as Checkpoint;
        const call = store.appendEvents(stepsOf(RUN, 1, 4), { checkpoint });
        await refusedInput(call, "OPTION_INVALID", `options.checkpoint.${field}`);
        assert.equal((await logOf(store, RUN)).length, 3);
        assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
      },
    ]),
  ),

  "C2: one checkpoint cannot stand for two runs": async ({ store }) => {
    await store.appendEvents(stepsOf(RUN, 3));
    const good = checkpointAt(3);
    const twoRuns = store.appendEvents([stepOf(RUN, "s4"), stepOf("run-2", "s1")], { checkpoint: good });
    await refusedInput(twoRuns, "OPTION_INVALID", "options");
    assert.equal((await logOf(store, RUN)).length, 3);
    assert.equal(await store.checkpoints.loadCheckpoint(RUN), null);
  },
});
