// @module-tag O-25
/** Several processes start queued runs on an engine and die on the way. Every run starts once and finishes. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow } from "runledger";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

const RUNS = 40;
/** Processes that share a name start each other's leftovers; a process with its own name is taken over. */
const ROLES = [
  ["engine", "claimed"],
  ["engine", "none"],
  ["engine-2", "started"],
  ["engine-3", "claimed"],
] as const;

interface Said {
  readonly ready?: true;
  readonly operation?: Operation;
  readonly result?: { readonly runId: string; readonly status: string };
}

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;
const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
const children = new Set<ChildProcess>();
const deaths: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-reconcile-chaos-"));
  const recording = recorder.recording("starter", (call) => call.proceed());
  const store = await PostgresStore.open({ url: database.url });
  ledger = new Ledger(interceptStore(store, recording), () => store.close());
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

function startProcess([engineId, point]: readonly [string, string], index: number): void {
  const name = `process-${index}`;
  const args = [database.url, name, join(folder, `${name}.jsonl`), engineId, point];
  const program = inRepository("tests/chaos/reconcile-process.mjs");
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  children.add(child);
  child.on("exit", (code) => {
    children.delete(child);
    deaths.push(code === null ? point : `exit ${code}`);
  });
}

async function said(): Promise<Said[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Said);
}

test("dequeueAndStart is safe to call anywhere and repeatedly: every run starts once and finishes", async () => {
  const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));
  await ledger.limits.set({ scope: "overall", subject: "", maxRunning: 12 });
  ROLES.forEach(startProcess);
  while ((await said()).filter(({ ready }) => ready).length < ROLES.length && deaths.length === 0) await sleep(50);
  const runs = await Promise.all(Array.from({ length: RUNS }, () => ledger.start(orders)));
  while ((await ledger.queue.list()).length > 0 && !deaths.some((death) => death.startsWith("exit"))) await sleep(50);

  expect(deaths).toContain("claimed");
  expect(deaths.filter((death) => death.startsWith("exit"))).toEqual([]);
  for (const { id } of runs) {
    const types = (await ledger.store.fetchEvents(id)).map(({ eventType }) => eventType);
    expect(types).toEqual(["RunQueued", "RunStarted", "RunCompleted"]);
  }
  const lines = await said();
  const results = lines.flatMap(({ result }) => result ?? []);
  const started = results.filter(({ status }) => status === "STARTED").map(({ runId }) => runId);
  expect(started.length).toBe(new Set(started).size);
  expect(new Set(results.map(({ status }) => status)).has("FAILED")).toBe(true);
  const operations = [...(recorder.operations as Operation[]), ...lines.flatMap(({ operation }) => operation ?? [])];
  const history = mergeHistories([{ operations }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
});
