// @module-tag B-10
/** A worker is killed with -9 while its spool has records, and another one reconciles them (B1). */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { openSpool } from "@runledger/runtime/engine/budget/open-spool";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { until } from "@runledger/test-support/until";
import { openMetrics } from "runledger";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { spooledBytes } from "./stalled-run.js";
import { spooling } from "./spooling-workflow.mjs";

const RUNS = 3;
let database: FreshDatabase;
let folder: string;
let recorder: HistoryRecorder;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  await database.empty();
  folder = mkdtempSync(join(tmpdir(), "runledger-killed-"));
  mkdirSync(join(folder, "spool"));
  recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
  const store = await PostgresStore.open({ url: database.url });
  const recording = recorder.recording("survivor", ({ proceed }) => proceed());
  ledger = new Ledger(interceptStore(store, recording), () => store.close());
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
});

const files = (prefix: string): string[] => readdirSync(folder).filter((name) => name.startsWith(prefix));
const spool = { folder: "" };
const stateStore = () => ({
  writeLatencyBudgetMs: 5000,
  failOpenForEventClass: ["StepStarted"],
  spool: { ...spool, folder: join(folder, "spool") },
});

/** Lets a worker spool the starts of some runs, kills it, and drops what it had sent. Returns the ids in spooled order. */
async function killWithSpool(leaseMs: number): Promise<string[]> {
  const proxy = await startSilentProxy(database.url);
  onTestFinished(() => proxy.close());
  const program = inRepository("tests/postgres/spooling-process.mjs");
  const child = spawn(process.execPath, [program, proxy.url, folder, String(leaseMs)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const flow = spooling(folder, true);
  await Promise.all(Array.from({ length: RUNS }, () => ledger.start(flow)));
  await until(() => files("waiting-").length >= RUNS || hasExited(child));
  proxy.silence("all");
  writeFileSync(join(folder, "stalled"), "");
  await until(() => files("executed-").length >= RUNS || hasExited(child));
  expect(hasExited(child)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  proxy.lead(database.url);
  return spooledRuns();
}

const hasExited = ({ exitCode }: ChildProcess): boolean => exitCode !== null;

async function spooledRuns(): Promise<string[]> {
  const copy = join(folder, "copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "0.spool"), readFileSync(join(folder, "spool", "0.spool")));
  const { spool: found, lock } = await openSpool(copy, { maxBytes: 1e6, maxRecords: 100 });
  await found.close();
  await lock.release();
  return found.records.map(({ runId }) => runId); // a run whose claim was answered twice may be there twice
}

const eventsOf = async (runId: string): Promise<string[]> =>
  (await ledger.store.fetchEvents(runId)).map(({ eventType, stepId, logicalAttemptId }) =>
    stepId === undefined ? eventType : `${eventType} ${stepId} ${logicalAttemptId}`,
  );

async function checkAll(): Promise<void> {
  const killed = readFileSync(join(folder, "operations.jsonl"), "utf8").trimEnd().split("\n");
  const operations = [...(recorder.operations as Operation[]), ...killed.map((line) => JSON.parse(line) as Operation)];
  const latest = new Map(operations.map((each) => [`${each.client} ${each.id}`, each]));
  const history = mergeHistories([{ operations: [...latest.values()] }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
}

test("the next worker records the spooled starts in their order, before it takes the runs over", async () => {
  const runIds = await killWithSpool(60_000);
  const killed = (await ledger.store.leases.listWorkers()).workers.map(({ workerId }) => workerId);
  expect(new Set(runIds).size).toBe(RUNS);
  const worker = await ledger.worker({ workflows: [spooling(folder, false)], stateStore: stateStore() });
  const hasStart = async (runId: string): Promise<boolean> => (await eventsOf(runId)).includes("StepStarted work 2");
  await until(async () => (await Promise.all(runIds.map(hasStart))).every(Boolean));
  for (const workerId of killed) await ledger.store.leases.retireWorker(workerId); // instead of waiting for its lease
  await until(async () => (await ledger.queue.list()).length === 0);
  await worker.stop();
  const isStart = (each: object): boolean =>
    (each as { kind: string; parts?: readonly { fence: number | null }[] }).kind === "append";
  const appended = recorder.operations.filter(isStart).flatMap((each) => ("parts" in each ? each.parts : []));
  const started = appended.filter(({ fence }) => fence === 1).map(({ runId }) => runId);
  expect(started).toEqual(runIds);
  for (const runId of runIds) {
    const events = await eventsOf(runId);
    const at = events.indexOf("StepStarted work 2");
    expect(events[at + 1]).toBe("RunTakenOver");
    expect(events.slice(at + 2)).toContain("StepCompleted work 2");
  }
  expect(spooledBytes(join(folder, "spool"))).toBe(0);
  await checkAll();
});

test("the starts of runs that another worker has taken over and ended are dropped and counted", async () => {
  const runIds = await killWithSpool(2000);
  for (const runId of new Set(runIds)) await ledger.act(runId, "CANCEL"); // so that it does not start the steps again
  const other = await ledger.worker({ workflows: [spooling(folder, false)] });
  await until(async () => (await ledger.queue.list()).length === 0);
  await other.stop();
  const before = await Promise.all(runIds.map(eventsOf));
  const metrics = await openMetrics();
  const next = await ledger.worker({ workflows: [spooling(folder, false)], stateStore: stateStore(), metrics });
  await until(() => spooledBytes(join(folder, "spool")) === 0);
  await next.stop();
  expect(await Promise.all(runIds.map(eventsOf))).toEqual(before);
  expect(await metrics.expose()).toMatch(
    new RegExp(`runledger_spooled_appends_total\\{[^}]*outcome="dropped"[^}]*\\} ${runIds.length}`),
  );
  await checkAll();
});
