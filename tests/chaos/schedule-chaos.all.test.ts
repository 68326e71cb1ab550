// @module-tag O-30
/**
 * Ten scheduler processes share a store and die at every point of firing, while the test keeps replacing the schedules
 * with alternating versions. Every tick has exactly one run.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, Scheduler, workflow, type Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

const PROCESSES = 10;
const POINTS = ["claimed", "start sent", "start answered", "saved"];
const TENANTS = ["acme", "default"];
const IDS = ["a", "b", "c"];

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;
const children = new Set<ChildProcess>();
const deaths = new Map<string, number>();
let started = 0;
let isOver = false;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-schedule-chaos-"));
  ledger = await connect(database.url);
});

afterAll(async () => {
  isOver = true;
  for (const child of children) child.kill("SIGKILL");
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Replaces a dead process by one that dies at the next point. */
function startScheduler(): void {
  const point = POINTS[started++ % POINTS.length]!;
  const name = `process-${started}`;
  const file = join(folder, `${name}.jsonl`);
  const program = inRepository("tests/chaos/schedule-process.mjs");
  const args = [program, database.url, name, file, point, String(1 + (started % 3))];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  children.add(child);
  child.on("exit", (_, signal) => {
    children.delete(child);
    if (isOver) return;
    if (signal === "SIGKILL") deaths.set(point, (deaths.get(point) ?? 0) + 1);
    startScheduler();
  });
}

const versions = ["1", "2"].map((version) => workflow("orders", { version }, (w) => w.step("load", () => version)));

async function putAll(round: number): Promise<void> {
  const options = { workflow: versions[round % 2]!, every: "1s", catchUp: "all", overlap: "allow" } as const;
  for (const tenantId of TENANTS) for (const id of IDS) await ledger.schedules.put({ ...options, id, tenantId });
}

async function everyName<T>(action: (name: { tenantId: string; scheduleId: string }) => Promise<T>): Promise<T[]> {
  return Promise.all(TENANTS.flatMap((tenantId) => IDS.map((scheduleId) => action({ tenantId, scheduleId }))));
}

async function operations(): Promise<Operation[]> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

/** Live schedulers finish the work of dead ones. */
async function finish(recorder: HistoryRecorder, end: string): Promise<void> {
  const store = interceptStore(
    ledger.store,
    recorder.recording("last", (call) => call.proceed()),
  );
  await using scheduler = new Scheduler(store, { pollMs: 100 });
  scheduler.start();
  for (let done = false; !done; await sleep(50)) {
    const all = await everyName(({ tenantId, scheduleId }) => ledger.schedules.get(scheduleId, { tenantId }));
    done = all.every((schedule) => schedule!.nextTick! > end);
  }
}

/** Faults and changes follow progress instead of time; each change fences the current holder of a schedule. */
async function progress(): Promise<void> {
  const places = async (): Promise<string> =>
    (await everyName(({ tenantId, scheduleId }) => ledger.schedules.get(scheduleId, { tenantId })))
      .map((schedule) => schedule!.nextTick)
      .join();
  const before = await places();
  while ((await places()) === before) await sleep(20);
}

const haveAllDied = (): boolean => POINTS.every((point) => (deaths.get(point) ?? 0) >= 2);

test("ten schedulers start one run per tick across kill -9 at every point and version changes", async () => {
  await putAll(0);
  for (let i = 0; i < PROCESSES; i++) startScheduler();
  for (let round = 1; !haveAllDied(); round++) {
    await putAll(round);
    await progress();
  }
  isOver = true;
  for (const child of children) child.kill("SIGKILL");
  const end = new Date().toISOString();
  const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
  await finish(recorder, end);
  await everyName(({ tenantId, scheduleId }) => ledger.schedules.remove(scheduleId, { tenantId }));

  const range = { from: "2000-01-01T00:00:00.000Z", to: end };
  const seen = new Map<string, string[]>();
  const used = new Set<string>();
  for (const { runId, tenantId } of await ledger.store.listHeads({ limit: 100_000 })) {
    const { schedule, planVersion } = await ledger.store.projectSnapshot(runId);
    const key = `${tenantId} ${schedule!.scheduleId} ${schedule!.tick}`;
    seen.set(key, [...(seen.get(key) ?? []), runId]);
    used.add(planVersion!);
  }
  expect([...seen].filter(([, runs]) => runs.length > 1)).toEqual([]);
  const ticks = await everyName(async (name) => {
    const found = await ledger.store.schedules.listTicks({ ...name, ...range });
    for (const { tick, runId } of found)
      expect(seen.get(`${name.tenantId} ${name.scheduleId} ${tick}`)).toEqual([runId]);
    return found.map(({ tick }) => Date.parse(tick));
  });
  for (const times of ticks) {
    expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual(times.slice(1).map(() => 1000));
    expect(Date.parse(end) - times.at(-1)!).toBeLessThanOrEqual(1000);
  }
  expect([...used].sort()).toEqual(["1", "2"]);
  const history = mergeHistories([
    { operations: [...(await operations()), ...(recorder.operations as Operation[])] },
    await readEnd(ledger.store),
  ]);
  expect(checkHistory(history).violations).toEqual([]);
  console.log(
    `${seen.size} runs, ${started} processes; died: ${[...deaths].map(([at, n]) => `${n} ${at}`).join(", ")}`,
  );
});
