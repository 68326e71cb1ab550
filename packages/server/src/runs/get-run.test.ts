// @module-tag R-40
/** A completed run as callers of the HTTP API see it: with its output and its artifacts. */
import { workflow } from "@runledger/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";

const report = workflow("report", { version: "1", signals: { go: z.object({ by: z.string() }) } }, (w) => {
  const write = w.step("write", async ({ artifact }) => {
    await artifact.write("rows", "1,2,3");
    return { rows: 3 };
  });
  const go = w.waitForSignal("go", { after: [write] });
  return w.when("big", { needs: { write, go }, if: ({ needs }) => needs.write.rows > 1 }, (w) =>
    w.step("publish", { needs: { write, go } }, ({ needs }) => ({ by: needs.go.by, rows: needs.write.rows })),
  );
});
const waiting = workflow("waiting", { version: "1", signals: { go: z.object({ by: z.string() }) } }, (w) =>
  w.waitForSignal("go"),
);
const nothing = workflow("nothing", { version: "1" }, (w) => void w.step("work", () => 1));

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

test.each(["log", "projection"])("a completed run has its output and artifacts, read from the %s", async (source) => {
  const { ledger, client } = await testServer([report], { store: database.url });
  const projector = source === "projection" ? ledger.projector() : null;
  await ledger.worker({ workflows: [report] });
  const run = await ledger.start(report);
  await run.signal("go", { by: "ada" });
  await run.result();
  const head = (await run.snapshot()).lastEventSeq;
  if (projector !== null)
    await expect
      .poll(async () => (await ledger.store.snapshots.readProjection({ runId: run.id, stepIds: [] }))?.header)
      .toMatchObject({ lastEventSeq: head });
  const shown = { status: "COMPLETED", output: { by: "ada", rows: 3 }, artifacts: [{ kind: "rows", sizeBytes: 5 }] };
  expect(await client.getRun(run.id)).toMatchObject(shown);
  expect(await client.getRun(run.id, { atSeq: head })).toMatchObject(shown);
  const before = await client.getRun(run.id, { atSeq: head - 1 });
  expect([before.status, "output" in before]).toEqual(["RUNNING", false]);
  await projector?.stop();
});

test("the output of a wait is the payload of its signal, for the run and for the step", async () => {
  const { ledger, client } = await testServer([waiting, nothing]);
  await ledger.worker({ workflows: [waiting, nothing] });
  const run = await ledger.start(waiting);
  await run.signal("go", { by: "ada" });
  await run.result();
  expect(await client.getRun(run.id)).toMatchObject({ output: { by: "ada" } });
  expect(await client.getStep(run.id, "go")).toMatchObject({ output: { by: "ada" } });
  const silent = await ledger.start(nothing);
  await silent.result();
  expect(await client.getRun(silent.id)).toMatchObject({ status: "COMPLETED", output: null, artifacts: [] });
});

test("a caller waits for the end of a run, and a stream until its end is closed", { tags: ["R-43"] }, async () => {
  const { ledger, client, call } = await testServer([waiting]);
  await ledger.worker({ workflows: [waiting] });
  const run = await ledger.start(waiting);
  expect(await client.getRun(run.id, { wait: "1ms" })).toMatchObject({
    status: expect.stringMatching(/PENDING|RUNNING/) as string,
  });
  const streaming = call("GET", `/runs/${run.id}/stream?until=ended`).then((response) => response.text());
  const finished = client.getRun(run.id, { wait: "30s" });
  await run.signal("go", { by: "ada" });
  expect(await finished).toMatchObject({ status: "COMPLETED", output: { by: "ada" } });
  const again = await call("GET", `/runs/${run.id}/stream?until=ended`);
  for (const text of [await streaming, await again.text()]) {
    const data = text
      .match(/^data: .*$/gm)!
      .map((line) => JSON.parse(line.slice(6)) as { type: string; runSeq?: number });
    const head = (await run.snapshot()).lastEventSeq;
    expect(data.filter(({ type }) => type === "event").map(({ runSeq }) => runSeq)).toEqual(
      Array.from({ length: head }, (_, index) => index + 1),
    );
    expect(data.filter(({ type }) => type !== "event").map(({ type }) => type)).toEqual(
      expect.arrayContaining(["ended", "caught-up"]),
    );
  }
  expect((await call("GET", `/runs/${run.id}?wait=soon`)).status).toBe(400);
});
