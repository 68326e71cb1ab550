// @module-tag H-10
/** Temporal on PostgreSQL with a sequence per run (P10): the engine settles gaps before it decides. */
import { newEvent } from "@runledger/contracts";
import { temporalEngine } from "@runledger/engine-temporal";
import { PostgresStore } from "@runledger/store-postgres";
import { checkHistory, mergeHistories, readEnd, recordHistory } from "@runledger/store-conformance";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { connect, workflow } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { holdOnce, stallingWriter } from "./stalling-writer.js";

const signals = { release: z.object({ by: z.string() }) };
const released = workflow("released", { version: "1", signals }, (w) => {
  const prepare = w.step("prepare", () => "ready");
  const release = w.waitForSignal("release", { after: [prepare] });
  return w.step("publish", { needs: { release } }, ({ needs }) => needs.release.by);
});

describeWith("gaps on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  let database: FreshDatabase;
  let url: string;
  beforeAll(async () => {
    [server, database] = await Promise.all([TemporalServer.start(), freshDatabase({ migrated: false })]);
    url = `${database.url}?authority=sequence`;
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  test("runs complete while other writers leave gaps in their logs that never fill", async () => {
    await using ledger = await connect(url);
    const engine = temporalEngine({ address: server.address, taskQueue: "gaps" });
    await ledger.worker({ workflows: [released], pollMs: 20, engine });
    const run = await ledger.start(released);
    const { hold, isHeld, letGo } = holdOnce();
    await using writer = await stallingWriter(database.url, hold);
    const note = (n: number) =>
      newEvent({ runId: run.id, eventType: "Noted", logicalAttemptId: String(n), planVersion: "1" });
    const late = writer.log.appendEvent(note(1));
    const drawn = await isHeld; // the number stays missing until the run is over
    await using other = await PostgresStore.open({ url });
    await other.appendEvent(note(2)); // above the gap
    await run.signal("release", { by: "kim" });
    expect(await run.result()).toBe("kim");
    letGo();
    expect((await late).runSeq).toBeGreaterThan(drawn[0]!);
    const recorder = recordHistory(other, { client: "reader" });
    await recorder.store.fetchEvents(run.id);
    const history = mergeHistories([{ operations: recorder.operations }, await readEnd(other)]);
    const { violations } = checkHistory(history, { contiguous: false });
    // The appends of the engine, and the checkpoints that they save, are not recorded.
    const unrecorded = new Set<string>(["every-event-was-appended", "checkpoint-label"]);
    expect(violations.filter(({ invariant }) => !unrecorded.has(invariant))).toEqual([]);
  });

  test("an execution folds past a gap that appears and stays empty while its step runs", async () => {
    await using ledger = await connect(url);
    const engine = temporalEngine({ address: server.address, taskQueue: "running" });
    let finish = (): void => {};
    const isFinished = new Promise<void>((resolve) => (finish = resolve));
    let start = (): void => {};
    const isStarted = new Promise<void>((resolve) => (start = resolve));
    const busy = workflow("busy", { version: "1" }, (w) => {
      const work = w.step("work", async () => {
        start();
        await isFinished;
        return "worked";
      });
      return w.step("publish", { needs: { work } }, ({ needs }) => needs.work);
    });
    await ledger.worker({ workflows: [busy], pollMs: 20, engine });
    const run = await ledger.start(busy);
    await isStarted;
    const { hold, isHeld, letGo } = holdOnce();
    await using writer = await stallingWriter(database.url, hold);
    const note = newEvent({ runId: run.id, eventType: "Noted", logicalAttemptId: "1", planVersion: "1" });
    const late = writer.log.appendEvent(note);
    const [drawn] = await isHeld;
    finish();
    expect(await run.result()).toBe("worked");
    letGo();
    expect((await late).runSeq).toBeGreaterThan(drawn!);
  });
});
