// @module-tag B-31
/** Retention that copies runs to files, and the commands that read and restore them, on PostgreSQL (A7). */
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { openPlace } from "@runledger/runtime/archive/archive-place";
import { archiveRun } from "@runledger/runtime/archive/archive-run";
import { prepareArchive } from "@runledger/runtime/archive/archive-marker";
import { MemoryStore } from "@runledger/store-memory";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, freshProject } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";

const report = workflow("report", { version: "1" }, (w) => {
  const written = w.step("write", async ({ artifact, log }) => {
    log("a line of the log");
    return await artifact.write("table", "a,b\n1,2\n");
  });
  return w.step("check", { needs: { written } }, () => "written");
});

let database: FreshDatabase;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
  ledger.projector();
  await ledger.worker({ workflows: [report] });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

/** Finishes a run, which the policy of its tenant makes due at once. */
async function dueRun(tenantId: string): Promise<string> {
  const run = await ledger.start(report, { tenantId, requestId: "once", labels: { team: "billing" } });
  await run.result();
  const row = `runledger.run_index WHERE run_id = '${run.id}' AND status = 'COMPLETED'`;
  await until(async () => (await query(database.url, `SELECT 1 FROM ${row}`)).length === 1);
  await ledger.retention.set({ tenantId, deleteAfter: "0s" });
  return run.id;
}

const indexRow = (runId: string) =>
  query(
    database.url,
    `SELECT tenant_id, status, plan_id, plan_version, project_id, environment_id, labels, created_at, summary
     FROM runledger.run_index WHERE run_id = '${runId}'`,
  );

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runledger({ cwd: process.cwd() }, ...args);
  expect(code, stderr + stdout).toBe(0);
  return stdout;
}

const checksumOf = async (runId: string): Promise<string> =>
  (await command("store", "verify", "--run", runId, "--store", database.url)).split("\n")[0]!;

test("a run that retention deleted is read in place and restored identically", async () => {
  const archive = join(freshFolder(), "archive");
  const runId = await dueRun("acme");
  const [events, index, checksum] = [
    await ledger.store.fetchEvents(runId),
    await indexRow(runId),
    await checksumOf(runId),
  ];
  const artifacts = await ledger.store.artifacts.listArtifacts({ runId });
  expect(artifacts.length).toBeGreaterThan(1);
  await until(async () => (await ledger.retention.run({ archive })).deleted === 1);
  expect(await ledger.store.fetchHeads([runId])).toEqual([]);
  expect(await indexRow(runId)).toEqual([]);

  const printed = await command("events", runId, "--archive", archive, "--json");
  expect(
    printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
  ).toEqual(events);
  expect(await command("store", "archive", "verify", archive)).toContain(`1 run with ${events.length} events verified`);

  await ledger.retention.remove({ tenantId: "acme" });
  for (const expected of [`${events.length} events of 1 run`, "0 events of 0 runs"])
    expect(await command("store", "import", "--from", archive, "--store", database.url)).toContain(expected);
  await until(async () => (await indexRow(runId)).length === 1);
  expect(await ledger.store.fetchEvents(runId)).toEqual(events);
  expect(await indexRow(runId)).toEqual(index);
  expect(await checksumOf(runId)).toBe(checksum);
  expect(index).toMatchObject([{ tenant_id: "acme", labels: [`["team","billing"]`] }]);
  const restored = await ledger.store.artifacts.listArtifacts({ runId });
  const known = ({ uri, kind, sha256 }: (typeof artifacts)[number]) => ({ uri, kind, sha256 });
  expect(restored.map(known)).toEqual(artifacts.map(known));
  const { uri } = artifacts.find(({ kind }) => kind === "table")!;
  const read = await ledger.store.artifacts.readChunks({ uri });
  expect(read?.chunks.map((bytes) => Buffer.from(bytes).toString())).toEqual(["a,b\n1,2\n"]);
  expect((await ledger.start(report, { tenantId: "acme", requestId: "once" })).id).toBe(runId);
});

test("a run that cannot be copied is neither archived nor deleted", async () => {
  const archive = join(freshFolder(), "archive");
  const runId = await dueRun("other");
  const other = new MemoryStore();
  const types = ["RunStarted", "RunCompleted"];
  await other.appendEvents(types.map((eventType) => newEvent({ runId, eventType, planVersion: "1" })));
  const place = await openPlace(archive);
  await prepareArchive(place);
  await archiveRun(other, place, runId);
  const faults: unknown[] = [];
  const result = await ledger.retention.run({ archive, onFault: (error) => faults.push(error) });
  expect(result).toMatchObject({ archived: 0, deleted: 0, left: { "not-copied": 1 } });
  expect(faults).toMatchObject([{ code: "COPY_MISMATCH" }]);
  expect((await ledger.store.fetchHeads([runId]))[0]).toMatchObject({ archived: false });
  const foreign = freshProject({}); // a folder with files
  await expect(ledger.retention.run({ archive: foreign })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
