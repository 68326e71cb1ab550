import assert from "node:assert/strict";
import type { Rebuilt, StateStore } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";
import { project, queuedOf } from "../support/projecting.js";

const RUN = "run-1";

async function rebuiltOf(store: StateStore, upTo = Infinity): Promise<Rebuilt> {
  const state = evolveAll(initialState(RUN), (await logOf(store, RUN)).slice(0, upTo));
  return { header: toRunHeader(state), steps: state.steps.rows(), keyframes: [] };
}

async function writeRun(store: StateStore): Promise<void> {
  await store.appendEvents([queuedOf(RUN, { labels: { team: "core" } }), stepOf(RUN, "a"), stepOf(RUN, "b")]);
  await project(store, RUN);
}

/** Derived data, as `store verify` and `store rebuild` read and replace it. */
export const derivedData = clause("derived-data", ["derived"], {
  "everything that is stored about a run besides its log": async ({ store }) => {
    await writeRun(store);
    const { head, header, steps, checkpoint, indexRow } = await store.derived.readDerived(RUN);
    const rebuilt = await rebuiltOf(store);
    assert.deepEqual(head, { tenantId: "default", headSeq: 3, archived: false });
    assert.deepEqual([header, steps, checkpoint], [rebuilt.header, rebuilt.steps, null]);
    assert.deepEqual(indexRow, JSON.parse(JSON.stringify(store.derived.expectedIndexRow(header!, "default"))));
    const absent = { head: null, header: null, steps: [], checkpoint: null, place: null, indexRow: null };
    assert.deepEqual(await store.derived.readDerived("absent"), absent);
    assert.equal(await store.derived.wrongCounts(), 0);
  },

  "a projection is replaced, with all its steps, and projectors that remember the old one are refused": async ({
    store,
  }) => {
    await writeRun(store);
    const { header } = await rebuiltOf(store);
    const wrong = { ...header, failedSteps: 7 };
    assert.equal(await store.derived.replaceProjection({ header: wrong, steps: [], keyframes: [] }), true);
    assert.deepEqual((await store.getSnapshot(RUN))?.steps, []);
    assert.equal(await store.derived.replaceProjection(await rebuiltOf(store)), true);
    assert.deepEqual(await store.getSnapshot(RUN), await store.projectSnapshot(RUN));
    await store.appendEvent(eventOf(RUN, "RunStarted"));
    const change = { readSeq: 3, header: (await rebuiltOf(store)).header, steps: [] };
    assert.equal(await store.snapshots.saveProjection(change), false);
    const { generation = 0 } = (await store.snapshots.readProjection({ runId: RUN, stepIds: [] }))!;
    assert.equal(await store.snapshots.saveProjection({ ...change, generation }), true);
    assert.equal((await store.index!.countRuns({ tenantId: "default" })).RUNNING, 1);
    assert.equal(await store.derived.wrongCounts(), 0);
  },

  "a projection that is further ahead in the log is not replaced": async ({ store }) => {
    await writeRun(store);
    assert.equal(await store.derived.replaceProjection(await rebuiltOf(store, 2)), false);
    assert.deepEqual(await store.getSnapshot(RUN), await store.projectSnapshot(RUN));
    await store.snapshots.deleteProjection(RUN);
    assert.equal(await store.derived.replaceProjection(await rebuiltOf(store, 2)), true);
    assert.equal((await store.getSnapshot(RUN))?.lastEventSeq, 2);
  },

  "keyframes are replaced with it": async ({ store }) => {
    if (store.keyframes === undefined) return;
    await writeRun(store);
    const [rebuilt, { header, steps }] = [await rebuiltOf(store), await rebuiltOf(store, 2)];
    await store.derived.replaceProjection({ ...rebuilt, keyframes: [{ header, steps }] });
    assert.deepEqual(await store.keyframes.loadKeyframe({ runId: RUN, atSeq: 3 }), { header, steps });
    await store.derived.replaceProjection(rebuilt);
    assert.deepEqual(await store.keyframes.listKeyframes(RUN), []);
  },

  "runs of which something is stored, by id": async ({ store }) => {
    await store.appendEvents(["run-3", RUN, "run-2", "run-4"].map((runId) => stepOf(runId, "s")));
    await project(store, "run-3", RUN, "run-2");
    const list = (afterRunId: string, limit: number) => store.derived.listDerived({ afterRunId, limit });
    assert.deepEqual(await list("", 2), [RUN, "run-2"]);
    assert.deepEqual(await list("run-2", 2), ["run-3"]);
    await store.derived.recount();
    assert.equal(await store.derived.wrongCounts(), 0);
  },
});
