// @module-tag L-12
import { expect, test } from "vitest";
import { numbered, run, RUN_ID, step } from "@runledger/test-support/given";
import { createSnapshotProjector } from "../index.js";

const projector = createSnapshotProjector();
const events = numbered([run("Started"), ...["a", "b", "c", "d", "e", "f", "g"].map((id) => step(id, "Started"))]);
const only = (...seqs: number[]) => events.filter(({ runSeq }) => seqs.includes(runSeq));

test("a gap stops the projection and sets `stale`; it continues when the gap closes, and loses nothing", async () => {
  const at3 = await projector.projectRun(RUN_ID, only(1, 2, 3));
  expect(at3).toMatchObject({ lastEventSeq: 3 });
  expect(at3).not.toHaveProperty("stale");
  const halted = await projector.incrementalProject(at3, only(5, 6));
  expect(halted).toMatchObject({ lastEventSeq: 3, stale: true });
  const partly = await projector.incrementalProject(halted, only(4, 7, 8));
  expect(partly).toMatchObject({ lastEventSeq: 4, stale: true });
  const whole = await projector.incrementalProject(partly, only(5, 6, 7, 8));
  expect(whole).toEqual(await projector.projectRun(RUN_ID, events));
});

test("rule 4: reprocessing the same events is safe", async () => {
  const snapshot = await projector.projectRun(RUN_ID, events);
  expect(await projector.incrementalProject(snapshot, events)).toEqual(snapshot);
});

test("detectGaps", async () => {
  expect(await projector.detectGaps(3, 4)).toEqual({ hasGap: false });
  expect(await projector.detectGaps(3, 3)).toEqual({ hasGap: false });
  expect(await projector.detectGaps(3, 5)).toEqual({ hasGap: true });
});
