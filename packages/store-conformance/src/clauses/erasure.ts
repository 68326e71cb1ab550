import assert from "node:assert/strict";
import { erasedPart, idempotencyKey, sha256Hex, type NewEvent, type StateStore } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { clause } from "../clause.js";
import { eventOf, logOf, stepOf } from "../support/events.js";
import { project, queuedOf } from "../support/projecting.js";
import { refused } from "../support/refused.js";

/** Part of every payload, and of no name. */
const SECRET = "zebra";
const LABELS = { customer: "17" };
const request = { by: "ops", reason: "request 4711" };

const failure = { code: "TIMEOUT", message: `${SECRET} message`, retryable: false };

function eventsOf(runId: string): NewEvent[] {
  const input = { input: { name: `${SECRET} input` }, state: { seen: SECRET }, labels: LABELS };
  return [
    queuedOf(runId, input),
    eventOf(runId, "RunStarted"),
    stepOf(runId, "load"),
    eventOf(runId, "StepCompleted", { stepId: "load", eventData: { output: [SECRET], patch: { seen: SECRET } } }),
    eventOf(runId, "StepFailed", { stepId: "save", eventData: { error: failure, stack: SECRET } }),
    eventOf(runId, "SomethingElse", { eventData: { any: SECRET } }),
  ];
}

/** Writes and projects a run with payloads everywhere. */
async function finished(store: StateStore, runId: string): Promise<void> {
  const end = eventOf(runId, "RunFailed", { eventData: { error: failure, culprit: "save" } });
  const checkpoint = { runId, seq: 6, format: 1, data: SECRET, checksum: sha256Hex(SECRET) };
  await store.appendEvents(eventsOf(runId));
  await store.appendEvents([end], { checkpoint });
  const artifact = { uri: `store://${runId}-log`, runId, kind: "log" };
  const bytes = Buffer.from(SECRET);
  await store.artifacts?.writeChunk({ artifact, chunk: 1, bytes, whole: { sha256: sha256Hex(SECRET), sizeBytes: 5 } });
  await project(store, runId);
}

/** Everything that readers get of a run. */
async function contentOf(store: StateStore, runId: string): Promise<string> {
  return JSON.stringify([
    await logOf(store, runId),
    await store.getSnapshot(runId),
    await store.snapshots.listSteps({ runId }),
    await store.derived?.readDerived(runId),
    await store.checkpoints?.loadCheckpoint(runId),
    await store.index?.listRuns({ tenantId: "default" }),
    await store.artifacts?.listArtifacts({ runId }),
  ]);
}

const structure = ({ eventData: _, ...event }: { readonly eventData: unknown }): object => event;

/** A6: payloads of a finished run are erased, and its structure stays verifiable. */
export const erasure = clause("erasure", ["archive", "checkpoints", "derived", "erasure", "index"], {
  "A6: no reader finds a payload of an erased run, and its structure is unchanged": async ({ store }) => {
    await finished(store, "r1");
    const before = await logOf(store, "r1");
    assert.deepEqual(await store.erasure.eraseRun({ runId: "r1", ...request }), {
      runId: "r1",
      erased: true,
      events: 5,
    });
    const after = await logOf(store, "r1");
    assert.ok(!(await contentOf(store, "r1")).includes(SECRET));
    assert.deepEqual(after.map(structure), before.map(structure));
    for (const event of after)
      assert.equal(
        event.idempotencyKey,
        idempotencyKey({ ...event, logicalAttemptId: event.logicalAttemptId!, planVersion: event.planVersion! }),
      );
    assert.deepEqual(await store.derived.changedEvents("r1"), []);
    assert.equal(await store.checkpoints.loadCheckpoint("r1"), null);
    assert.equal((await store.artifacts?.readChunks({ uri: "store://r1-log" })) ?? null, null);
  },

  "A6: each erased event and the projection show who erased it and why": async ({ store }) => {
    await finished(store, "r1");
    await store.erasure.eraseRun({ runId: "r1", ...request });
    const log = await logOf(store, "r1");
    const { at, ...erased } = erasedPart(log[0]!.eventData)!;
    assert.deepEqual(erased, request);
    const marker = { $erased: { at, ...request } };
    assert.deepEqual((log[0]!.eventData as { input: unknown }).input, marker);
    assert.deepEqual(log[5]!.eventData, marker);
    assert.equal(erasedPart(log[1]!.eventData), null); // it had no payload
    const snapshot = await store.getSnapshot("r1");
    assert.deepEqual(snapshot?.erased, { at, ...request });
    assert.deepEqual(snapshot?.state, marker);
    assert.deepEqual(snapshot?.error, { code: "TIMEOUT", message: "erased", retryable: false });
    assert.deepEqual(snapshot?.labels, LABELS);
    const [listed] = (await store.index.listRuns({ tenantId: "default", labels: LABELS })).runs;
    assert.equal(listed?.error?.message, "erased");
  },

  "A6: a rebuild of the projection gives the same result": async ({ store }) => {
    await finished(store, "r1");
    await store.erasure.eraseRun({ runId: "r1", ...request });
    const shown = await store.getSnapshot("r1");
    const state = evolveAll(initialState("r1"), await logOf(store, "r1"));
    await store.derived.replaceProjection({ header: toRunHeader(state), steps: state.steps.rows(), keyframes: [] });
    assert.deepEqual(await store.getSnapshot("r1"), shown);
    assert.deepEqual(await store.projectSnapshot("r1"), shown);
  },

  "A6: a repeated erasure changes nothing, and an archived run is erased as well": async ({ store }) => {
    await finished(store, "r1");
    await finished(store, "r2");
    await store.erasure.eraseRun({ runId: "r1", ...request });
    const log = await logOf(store, "r1");
    const again = await store.erasure.eraseRun({ runId: "r1", by: "another", reason: "again" });
    assert.deepEqual(again, { runId: "r1", erased: true, events: 0 });
    assert.deepEqual(await logOf(store, "r1"), log);
    assert.equal((await store.archive.archiveRun("r2")).archived, true);
    assert.deepEqual(await store.erasure.eraseRun({ runId: "r2", ...request }), {
      runId: "r2",
      erased: true,
      events: 5,
    });
    assert.ok(!(await contentOf(store, "r2")).includes(SECRET));
    assert.deepEqual(await store.derived.changedEvents("r2"), []);
  },

  "A6: an erased run can be archived": async ({ store }) => {
    await finished(store, "r1");
    await store.erasure.eraseRun({ runId: "r1", ...request });
    assert.equal((await store.archive.archiveRun("r1")).archived, true);
    assert.ok(!(await contentOf(store, "r1")).includes(SECRET));
    assert.deepEqual(await store.derived.changedEvents("r1"), []);
  },

  "A6: a run that has not finished or does not exist is left as it is": async ({ store }) => {
    await store.appendEvents(eventsOf("r1"));
    const log = await logOf(store, "r1");
    const open = await store.erasure.eraseRun({ runId: "r1", ...request });
    assert.deepEqual(open, { runId: "r1", erased: false, reason: "not-finished" });
    assert.deepEqual(await logOf(store, "r1"), log);
    const none = await store.erasure.eraseRun({ runId: "none", ...request });
    assert.deepEqual(none, { runId: "none", erased: false, reason: "absent" });
  },

  "A6: an erasure needs a caller and a reason": async ({ store }) => {
    await finished(store, "r1");
    await refused(store.erasure.eraseRun({ runId: "r1", by: "", reason: "x" }), "IDENTIFIER_INVALID");
    for (const reason of ["", " ", "x".repeat(1001)])
      await refused(store.erasure.eraseRun({ runId: "r1", by: "ops", reason }), "OPTION_INVALID");
  },
});
