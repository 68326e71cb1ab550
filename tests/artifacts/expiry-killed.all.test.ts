// @module-tag D-02
/** Servers that are killed between the expiry of artifacts and the removal of their content (A8). */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { newEvent } from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { openStorage } from "@runledger/runtime/artifacts/open-storage";
import { locatedStore } from "@runledger/runtime/ledger/located-store";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { checkHistory, mergeHistories, readEnd } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, startRunledger, type Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const ISO = /^\d{4}-\d\d-\d\dT/;
const RUNS = 120;
const KILLS = 3;

async function* content(): AsyncGenerator<Uint8Array> {
  for (let chunk = 0; chunk < 3; chunk++) yield Buffer.alloc(1000, chunk);
}

test.each(["store:", "file:"])("killed servers remove all expired content in %s, and nothing else", async (place) => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const { url, drop } = await freshDatabase();
  onTestFinished(async () => {
    await drop();
    rmSync(folder, { recursive: true, force: true });
  });
  const artifacts = place === "store:" ? place : pathToFileURL(folder).href;
  const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
  const recording = recorder.recording("writer", (call) => call.proceed());
  const opened = interceptStore(await PostgresStore.open({ url }), recording);
  await using store = place === "store:" ? opened : locatedStore(opened, await openStorage(artifacts));
  const port = artifactPort(() => store.artifacts);
  const ids = Array.from({ length: RUNS }, (_, n) => `run-${n}`);
  for (const runId of ids) {
    const event = (eventType: string) => newEvent({ runId, eventType, planId: "orders", planVersion: "1" });
    await store.appendEvents([event("RunStarted"), event("RunCompleted")]);
    for (const kind of ["brief", "table"]) await port.write({ artifact: { runId, kind }, content: content() });
  }
  const where = { cwd: freshProject({}), env: { RUNLEDGER_STORE: url, RUNLEDGER_ARTIFACTS: artifacts } };
  const serve = (...roles: readonly string[]): Running =>
    startRunledger(where, "serve", "--roles", roles.join(), "--json");
  serve("projector");
  await until(async () => (await rows(url, "run_index", "status = 'COMPLETED'")) === RUNS);
  for (const runId of ids) await until(async () => (await store.archive.archiveRun(runId)).archived);
  {
    await using ledger = await connect(url, { artifacts });
    await ledger.retention.set({ kind: "artifacts", artifactKind: "brief", deleteAfter: "0s" });
  }
  for (let killed = 0; killed < KILLS; killed++) {
    const before = await rows(url, "expired_artifacts");
    const server = serve("retention");
    await until(async () => before === RUNS || (await rows(url, "expired_artifacts")) > before);
    await sleep(Math.random() * 50);
    server.kill("SIGKILL");
    await server.ended;
    await query(url, "DELETE FROM runledger.feed_members WHERE group_name = 'retention'"); // its time is over
  }
  serve("retention");
  await until(async () => (await rows(url, "expired_artifacts", "swept_at IS NOT NULL")) === RUNS);
  for (const runId of ids) {
    const [brief, table] = (await port.list({ runId })).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    expect(brief).toMatchObject({ kind: "brief", sizeBytes: 3000, expiredAt: expect.stringMatching(ISO) as unknown });
    let bytes = 0;
    for await (const chunk of port.read({ uri: table!.uri })) bytes += chunk.byteLength;
    expect(bytes).toBe(3000);
  }
  const left =
    place === "store:"
      ? await rows(url, "artifacts a JOIN runledger.artifact_chunks c USING (artifact_id)", "a.kind = 'brief'")
      : filesIn(folder, "brief");
  expect(left).toBe(0);
  expect(checkHistory(mergeHistories([{ operations: recorder.operations }, await readEnd(store)])).violations).toEqual(
    [],
  );
});

function filesIn(folder: string, name: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(`/${name}`)).length;
}

async function rows(url: string, table: string, where = "true"): Promise<number> {
  const [row] = await query(url, `SELECT count(*)::int AS n FROM runledger.${table} WHERE ${where}`);
  return (row as { n: number }).n;
}
