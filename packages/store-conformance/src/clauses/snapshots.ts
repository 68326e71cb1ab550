import assert from "node:assert/strict";
import type { CanonicalEngineEvent, RunHeader, StateStore, StepRow } from "@runledger/contracts";
import { createSnapshotProjector, evolveAll, initialState, toRunHeader } from "@runledger/core";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";
import { refused } from "../support/refused.js";

const RUN = "run-1";

interface Rows {
  readonly readSeq: number;
  readonly header: RunHeader;
  readonly steps: readonly StepRow[];
}

/** The change that a projector saves after folding `events`, if it has read the projection at `readSeq`. */
function projectionOf(events: readonly CanonicalEngineEvent[], readSeq: number): Rows {
  const state = evolveAll(initialState(RUN), events);
  return { readSeq, header: toRunHeader(state), steps: state.steps.rows() };
}

async function writeRun(store: StateStore): Promise<CanonicalEngineEvent[]> {
  await store.appendEvents([
    eventOf(RUN, "RunStarted"),
    stepOf(RUN, "extract"),
    eventOf(RUN, "StepCompleted", { stepId: "extract", eventData: { output: { rows: 3 }, patch: { total: 3 } } }),
    stepOf(RUN, "load"),
  ]);
  return logOf(store, RUN);
}

/**
 * F7: a header row and a row per step. Only changed rows are written, and only if the watermark is the one that was
 * read.
 */
export const snapshots = clause("snapshots", [], {
  "5: projectSnapshot is the fold of the log": async ({ store }) => {
    const events = await writeRun(store);
    const snapshot = await store.projectSnapshot(RUN);
    assert.deepEqual(snapshot, await createSnapshotProjector().projectRun(RUN, events)); // F7
    assert.deepEqual([snapshot.status, snapshot.lastEventSeq, snapshot.state], ["RUNNING", 4, { total: 3 }]);
  },

  "5: a run that is not there has no projection": async ({ store }) => {
    await refused(store.projectSnapshot(RUN), "RUN_NOT_FOUND");
    assert.equal(await store.getSnapshot(RUN), null);
    assert.equal(await store.snapshots.readProjection({ runId: RUN, stepIds: [] }), null);
    assert.deepEqual(await store.snapshots.listSteps({ runId: RUN }), []);
  },

  "F7: reads return what was saved": async ({ store }) => {
    const events = await writeRun(store);
    assert.equal(await store.getSnapshot(RUN), null);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events, 0)), true);
    assert.deepEqual(await store.getSnapshot(RUN), await store.projectSnapshot(RUN));
  },

  "F6 F7: a projection behind the log is marked as stale": async ({ store }) => {
    const events = await writeRun(store);
    await store.snapshots.saveProjection(projectionOf(events, 0));
    await store.appendEvent(eventOf(RUN, "RunCompleted"));
    const snapshot = await store.getSnapshot(RUN);
    assert.deepEqual([snapshot?.stale, snapshot?.status, snapshot?.lastEventSeq], [true, "RUNNING", 4]);
  },

  "F7: only what changed is written; the other steps stay": async ({ store }) => {
    const events = await writeRun(store);
    await store.snapshots.saveProjection(projectionOf(events.slice(0, 3), 0));
    const { header, steps } = projectionOf(events, 3);
    const changed = steps.filter((step) => step.stepId === "load");
    assert.equal(await store.snapshots.saveProjection({ readSeq: 3, header, steps: changed }), true);
    assert.deepEqual(await store.getSnapshot(RUN), await store.projectSnapshot(RUN));
  },

  "F7: a projector that wakes up late overwrites nothing": async ({ store }) => {
    const events = await writeRun(store);
    await store.snapshots.saveProjection(projectionOf(events.slice(0, 2), 0));
    await store.snapshots.saveProjection(projectionOf(events, 2));
    const before = await store.getSnapshot(RUN);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events.slice(0, 3), 2)), false);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events.slice(0, 1), 0)), false);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events, 99)), false);
    assert.deepEqual(await store.getSnapshot(RUN), before);
  },

  "F7: a change on a projection that was never saved is refused": async ({ store }) => {
    const events = await writeRun(store);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events, 3)), false);
    assert.equal(await store.getSnapshot(RUN), null);
  },

  "F7: of ten projectors at one watermark one gets through": async ({ store, another }) => {
    const events = await writeRun(store);
    const handles = [store, await another()];
    await store.snapshots.saveProjection(projectionOf(events.slice(0, 2), 0));
    const saves = Array.from({ length: 10 }, (_, index) =>
      handles[index % 2]!.snapshots.saveProjection(projectionOf(events, 2)),
    );
    assert.equal((await Promise.all(saves)).filter(Boolean).length, 1);
  },

  "F7: named steps and pages of steps, in their order": async ({ store }) => {
    const stepIds = Array.from({ length: 7 }, (_, index) => `step-${7 - index}`);
    await store.appendEvents(stepIds.map((stepId) => stepOf(RUN, stepId)));
    await store.snapshots.saveProjection(projectionOf(await logOf(store, RUN), 0));
    const named = async (asked: string[]): Promise<string[] | undefined> =>
      (await store.snapshots.readProjection({ runId: RUN, stepIds: asked }))?.steps.map((step) => step.stepId);
    assert.deepEqual(await named(["step-2", "absent", "step-6", "step-2"]), ["step-6", "step-2"]);
    assert.deepEqual(await named([]), []);
    const pages = [{}, { limit: 2 }, { afterOrdinal: 1, limit: 2 }, { afterOrdinal: 5 }, { afterOrdinal: 6 }];
    const listed = await Promise.all(pages.map((page) => store.snapshots.listSteps({ runId: RUN, ...page })));
    assert.deepEqual(
      listed.map((steps) => steps.map((step) => step.stepId)),
      [stepIds, stepIds.slice(0, 2), stepIds.slice(2, 4), stepIds.slice(6), []],
    );
    assert.deepEqual(
      listed[0]!.map((step) => step.ordinal),
      [0, 1, 2, 3, 4, 5, 6],
    );
  },

  "F7: returns headers and named steps of many runs, in the order of the request": async ({ store }) => {
    await writeRun(store);
    await store.snapshots.saveProjection(projectionOf(await logOf(store, RUN), 0));
    const asked = [
      { runId: "absent", stepIds: ["load"] },
      { runId: RUN, stepIds: ["load", "a|b", "load"] },
      { runId: RUN, stepIds: [] },
    ];
    const [absent, named, header] = await store.snapshots.readProjections(asked);
    assert.equal(absent, null);
    assert.deepEqual(named, await store.snapshots.readProjection({ runId: RUN, stepIds: ["load"] }));
    assert.deepEqual(header?.steps, []);
    assert.deepEqual(await store.snapshots.readProjections([]), []);
  },

  "F6: runs that a projector stopped in front of are found": async ({ store }) => {
    const events = await writeRun(store);
    const { header, steps } = projectionOf(events.slice(0, 2), 0);
    const save = (change: Partial<Pick<RunHeader, "runId" | "stale">>, readSeq: number) =>
      store.snapshots.saveProjection({ readSeq, header: { ...header, ...change }, steps });
    for (const runId of ["run-3", RUN, "run-2"]) await save({ runId, stale: true }, 0);
    assert.deepEqual(await store.snapshots.listStale(), [RUN, "run-2", "run-3"]);
    assert.deepEqual(await store.snapshots.listStale({ afterRunId: RUN, limit: 1 }), ["run-2"]);
    await save({ runId: "run-2" }, header.lastEventSeq);
    assert.deepEqual(await store.snapshots.listStale(), [RUN, "run-3"]);
  },

  "F7: a projection can be thrown away and built again": async ({ store }) => {
    const events = await writeRun(store);
    await store.snapshots.saveProjection(projectionOf(events, 0));
    await store.snapshots.deleteProjection(RUN);
    assert.equal(await store.getSnapshot(RUN), null);
    assert.deepEqual(await store.snapshots.listSteps({ runId: RUN }), []);
    assert.equal(await store.snapshots.saveProjection(projectionOf(events.slice(0, 1), 0)), true);
    assert.deepEqual((await store.getSnapshot(RUN))?.steps, []);
    await store.snapshots.deleteProjection("absent");
  },
});
