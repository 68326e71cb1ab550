import assert from "node:assert/strict";
import type { NewEvent, StateStore } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { project } from "../support/projecting.js";

const RUN = "run-1";

/** Appends `count` events of `steps` steps to the run and projects it. */
async function goOn(store: StateStore, count: number, steps = 10): Promise<void> {
  const before = (await store.fetchHeads([RUN]))[0]?.headSeq ?? 0;
  const events = Array.from({ length: count }, (_, n) => {
    const at = before + n;
    return stepOf(RUN, `s${at % steps}`, { logicalAttemptId: String(Math.floor(at / steps) + 1) });
  });
  await appendAll(store, events);
  await project(store, RUN);
}

/** Appends events in calls that every store accepts. */
async function appendAll(store: StateStore, events: readonly NewEvent[]): Promise<void> {
  const most = store.capabilities.maxEventsPerRunAndCall ?? 250;
  for (let from = 0; from < events.length; from += most) await store.appendEvents(events.slice(from, from + most));
}

/** Earlier versions of projections, so that a run can be shown at any seq. */
export const keyframes = clause("keyframes", ["keyframes"], {
  "a run that has come far enough has a keyframe, with all its steps as they were": async ({ store }) => {
    await goOn(store, 499);
    await store.keyframes.makeKeyframes([RUN, "absent"]);
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), []);
    await goOn(store, 2);
    await store.keyframes.makeKeyframes([RUN]);
    await goOn(store, 100);
    await store.keyframes.makeKeyframes([RUN]);
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), [501]);
    const state = evolveAll(initialState(RUN), (await logOf(store, RUN)).slice(0, 501));
    const keyframe = await store.keyframes.loadKeyframe({ runId: RUN, atSeq: 550 });
    assert.deepEqual(keyframe, { header: toRunHeader(state), steps: state.steps.rows() });
  },

  "the last one up to a seq is loaded": async ({ store }) => {
    for (let round = 0; round < 3; round++) {
      await goOn(store, 500);
      await store.keyframes.makeKeyframes([RUN]);
    }
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), [500, 1000, 1500]);
    const at = async (atSeq: number) =>
      (await store.keyframes.loadKeyframe({ runId: RUN, atSeq }))?.header.lastEventSeq ?? null;
    assert.deepEqual(await Promise.all([499, 500, 999, 1000, 9999].map(at)), [null, 500, 500, 1000, 1500]);
    assert.equal(await store.keyframes.loadKeyframe({ runId: "absent", atSeq: 9 }), null);
  },

  "a run of many steps has fewer, so that they are no longer than its log": async ({ store }) => {
    for (let round = 0; round < 8; round++) {
      await appendAll(store, stepsOf(RUN, 250, round * 250));
      await project(store, RUN);
      await store.keyframes.makeKeyframes([RUN]);
    }
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), [500]);
  },

  "keyframes go with the projection": async ({ store }) => {
    await goOn(store, 500);
    await store.keyframes.makeKeyframes([RUN]);
    await store.snapshots.deleteProjection(RUN);
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), []);
  },
});
