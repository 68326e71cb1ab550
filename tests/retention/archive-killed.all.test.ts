// @module-tag B-31
/** Servers that copy runs to files and are killed at any point: no run is lost, and no half file is read (A7). */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent, omitUndefined } from "@runledger/contracts";
import { openPlace } from "@runledger/runtime/archive/archive-place";
import { verifyArchive } from "@runledger/runtime/archive/read-archive";
import { checksumOf } from "@runledger/runtime/transfer/event-line";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";

const RUNS = 120;
const STEPS = 40;
const KILLS = 6;

async function addRun(store: PostgresStore, runId: string): Promise<void> {
  const emittedAt = new Date(Date.now() - 10 * 86_400_000).toISOString();
  const event = (eventType: string, stepId?: string) =>
    newEvent({ runId, eventType, planId: "orders", planVersion: "1", emittedAt, ...omitUndefined({ stepId }) });
  const steps = Array.from({ length: STEPS }, (_, n) => event("StepStarted", `s${n}`));
  await store.appendEvents([event("RunStarted"), ...steps, event("RunCompleted")]);
}

async function checksums(store: PostgresStore, runIds: readonly string[]): Promise<Map<string, string>> {
  const each = runIds.map(async (runId): Promise<[string, string]> => [
    runId,
    checksumOf(await store.fetchEvents(runId)),
  ]);
  return new Map(await Promise.all(each));
}

async function intactRuns(archive: string): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { runId, damage } of verifyArchive(await openPlace(archive))) {
    expect(damage).toBeUndefined();
    found.add(runId!);
  }
  return found;
}

test("servers that are killed again and again lose no run", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url });
  const due = Array.from({ length: RUNS }, (_, n) => `due-${n}`);
  await Promise.all(due.map((runId) => addRun(store, runId)));
  const original = await checksums(store, due);
  const cwd = freshProject({});
  const archive = join(cwd, "archive");
  const where = { cwd, env: { RUNLEDGER_STORE: url, RUNLEDGER_ARCHIVE: archive } };
  const serve = (role: string): Running => startRunledger(where, "serve", "--roles", role, "--json");
  serve("projector");
  const finished = "SELECT count(*)::int AS n FROM runledger.run_index WHERE status = 'COMPLETED'";
  await until(async () => ((await query(url, finished))[0] as { n: number }).n === RUNS);
  expect((await runledger(where, "store", "retention", "set", "--delete-after", "2d")).code).toBe(0);

  const inStore = async (): Promise<Set<string>> =>
    new Set((await store.listHeads({ archived: true })).map(({ runId }) => runId));
  for (let kills = 0; kills < KILLS; kills++) {
    const server = serve("retention");
    const before = (await intactRuns(archive)).size;
    if (before < RUNS) await until(async () => (await intactRuns(archive)).size > before);
    await sleep(Math.random() * 500);
    server.kill("SIGKILL");
    await server.ended;
    const [stored, archived] = [await inStore(), await intactRuns(archive)];
    expect(due.filter((runId) => !stored.has(runId) && !archived.has(runId))).toEqual([]);
    await query(url, "DELETE FROM runledger.feed_members WHERE group_name = 'retention'"); // its time is over
  }
  serve("retention");
  await until(async () => (await inStore()).size === 0);
  expect(await intactRuns(archive)).toEqual(new Set(due));

  const restored = await freshDatabase();
  onTestFinished(restored.drop);
  await killedImport(where.cwd, archive, restored.url);
  const imported = await runledger(where, "store", "import", "--from", archive, "--store", restored.url);
  expect(imported.code, imported.stderr).toBe(0);
  await using target = await PostgresStore.open({ url: restored.url });
  expect(await checksums(target, due)).toEqual(original);
  const verified = await runledger(where, "store", "verify", "--store", restored.url);
  expect(verified.code, verified.stdout).toBe(0);
});

/** An import that is killed is continued by the next one. */
async function killedImport(cwd: string, archive: string, url: string): Promise<void> {
  const killed = startRunledger({ cwd }, "store", "import", "--from", archive, "--store", url);
  await until(async () => (await query(url, "SELECT 1 FROM runledger.run_heads LIMIT 1")).length === 1);
  killed.kill("SIGKILL");
  await killed.ended;
}
