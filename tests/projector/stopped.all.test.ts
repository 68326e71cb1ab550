// @module-tag R-09
/** Projectors are suspended at every crash point. Another one continues, and they overwrite nothing when they resume. */
import { expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { checkHistory, recordHistory, snapshotReplay } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { crashPoints } from "@runledger/runtime/projector/crash-points";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import type { Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { isStopped, said, startProjector } from "./projector-process.js";

const runIds = Array.from({ length: 24 }, (_, n) => `run-${n}`);

test("a projector that is suspended at any crash point overwrites nothing when it resumes", async () => {
  const database = await freshDatabase();
  const opened = await PostgresStore.open({ url: database.url });
  onTestFinished(async () => {
    await opened.close();
    await database.drop();
  });
  const { store, finish } = recordHistory(opened);
  let round = 0;
  const write = async (): Promise<void> => {
    const stepId = `step-${++round}`;
    const events = (runId: string) =>
      ["StepStarted", "StepCompleted"].map((eventType) =>
        newEvent({ runId, eventType, stepId, planVersion: "1", planId: "p" }),
      );
    await Promise.all(runIds.map((runId) => store.appendEvents(events(runId))));
  };
  const isCurrent = async (): Promise<boolean> => {
    for (const runId of runIds) {
      const [stored, folded] = [await opened.getSnapshot(runId), await opened.projectSnapshot(runId)];
      if (stored?.lastEventSeq !== folded.lastEventSeq) return false;
      expect(stored).toEqual(folded);
    }
    return true;
  };

  const stopped: Running[] = [];
  for (const point of crashPoints) {
    const projector = startProjector(database.url, point, "0", "SIGSTOP");
    await until(async () => (await write(), isStopped(projector))); // others are stopped, so it gets their partitions
    stopped.push(projector);
  }
  const other = startProjector(database.url);
  await write();
  await until(isCurrent);
  for (const each of stopped) each.kill("SIGCONT");
  await until(() => stopped.every((each) => said(each).partitions.length > 0));
  await write();
  await until(isCurrent);
  other.kill("SIGKILL");
  await write();
  await until(isCurrent);
  expect(checkHistory(await finish(), { replay: snapshotReplay })).toMatchObject({ ok: true });
});
