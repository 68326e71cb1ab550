// @module-tag S-07
/** Exports to files and imports back, with damage and crashes in between. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newEvent, type StateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { copyRuns } from "./copy-runs.js";
import type { CopyTarget } from "./copy-target.js";
import { checksumOf } from "./event-line.js";
import { copyFiles } from "./file-source.js";
import { fileTarget } from "./file-target.js";
import { storeTarget } from "./store-target.js";

let folder: string;
let source: MemoryStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runledger-export-"));
  source = new MemoryStore();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
});

const step = (runId: string, stepId: string) =>
  newEvent({ runId, stepId, eventType: "StepStarted", planVersion: "1", eventData: { z: 1, a: ["日", null] } });

async function record(runs: readonly string[], steps: number, from = 1): Promise<void> {
  for (let place = from; place < from + steps; place++)
    await source.appendEvents(runs.map((runId) => step(runId, `s${place}`)));
}

async function exported(store: StateStore = source): Promise<number> {
  await using target = await fileTarget(folder);
  return await eventsOf(copyRuns(store, target));
}

async function imported(target: MemoryStore): Promise<number> {
  return eventsOf(copyFiles(folder, storeTarget(target)));
}

async function eventsOf(copied: AsyncIterable<{ readonly events: number }>): Promise<number> {
  let events = 0;
  for await (const run of copied) events += run.events;
  return events;
}

async function checksums(store: StateStore): Promise<object> {
  const heads = await store.listHeads({ archived: true });
  const each = heads.map(async ({ runId, tenantId }) => [
    runId,
    [tenantId, checksumOf(await store.fetchEvents(runId, { limit: 100_000 }))],
  ]);
  return Object.fromEntries(await Promise.all(each)) as object;
}

const lines = (name: string): string[] => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);

test("an export that is imported again is identical, run by run", async () => {
  await record(["run-b", "run-a"], 3);
  await record(["long"], 2500);
  await source.forTenant("acme").appendEvent(step("run-c", "s1"));
  expect(await exported()).toBe(2507);
  const restored = new MemoryStore();
  expect(await imported(restored)).toBe(2507);
  expect(await checksums(restored)).toEqual(await checksums(source));
  expect((await restored.forTenant("acme").fetchEvents("run-c")).length).toBe(1);
});

test("only the owner can read an export", { tags: ["R-26"] }, async () => {
  const target = await fileTarget(join(folder, "new"));
  await target[Symbol.asyncDispose]();
  const files = ["", ...readdirSync(join(folder, "new"))].map(
    (name) => statSync(join(folder, "new", name)).mode & 0o077,
  );
  expect(files).toEqual(files.map(() => 0));
  expect(files.length).toBeGreaterThan(2);
});

test("an export continues where the last one stopped and writes nothing twice", async () => {
  await record(["run-a", "run-b"], 2);
  expect(await exported()).toBe(4);
  expect(await exported()).toBe(0);
  await record(["run-b", "run-c"], 2, 3);
  expect(await exported()).toBe(4);
  expect(lines("events-000001.jsonl").length).toBe(8);
  const restored = new MemoryStore();
  await imported(restored);
  expect(await checksums(restored)).toEqual(await checksums(source));
  expect(await imported(restored)).toBe(0);
});

test("runs are exported in event order, with a count and checksum per part", async () => {
  await record(["run-a", "run-b"], 3);
  await exported();
  const events = lines("events-000001.jsonl").map((line) => JSON.parse(line) as { runId: string; runSeq: number });
  expect(events.map(({ runId, runSeq }) => `${runId} ${runSeq}`)).toEqual(
    ["run-a", "run-b"].flatMap((runId) => [1, 2, 3].map((seq) => `${runId} ${seq}`)),
  );
  const parts = lines("parts.jsonl").map((line) => JSON.parse(line) as object);
  expect(parts).toMatchObject([
    { runId: "run-a", afterSeq: 0, toSeq: 3, events: 3, checksum: checksumOf(await source.fetchEvents("run-a")) },
    { runId: "run-b", afterSeq: 0, toSeq: 3, events: 3 },
  ]);
});

/** Data that a crash can leave after the last committed part. */
test.each([
  ["events that no part names", () => appendFileSync(join(folder, "events-000001.jsonl"), '{"runId":"run-x"')],
  ["half a line of a part", () => appendFileSync(join(folder, "parts.jsonl"), '{"runId":"run-b","afterS')],
  ["a further file of events", () => writeFileSync(join(folder, "events-000002.jsonl"), '{"runId":"run-x"}\n')],
])("%s are truncated, and the export continues", async (_, leave) => {
  await record(["run-a"], 2);
  await exported();
  leave();
  await record(["run-b"], 2);
  expect(await exported()).toBe(2);
  const restored = new MemoryStore();
  await imported(restored);
  expect(await checksums(restored)).toEqual(await checksums(source));
  expect(readdirSync(folder).sort()).toEqual(["events-000001.jsonl", "parts.jsonl", "runledger-export.json"]);
});

test("an export interrupted at any write continues to the same result", async () => {
  await record(["run-a", "run-b", "run-c"], 2);
  for (let writes = 0; writes < 2; writes++) {
    await using target = await fileTarget(folder);
    await expect(eventsOf(copyRuns(source, failingAt(target, writes)))).rejects.toThrow("cut");
  }
  expect(await exported()).toBe(6);
  const restored = new MemoryStore();
  await imported(restored);
  expect(await checksums(restored)).toEqual(await checksums(source));
});

function failingAt(target: CopyTarget, calls: number): CopyTarget {
  let left = calls;
  const cut =
    <A extends unknown[]>(work: (...args: A) => Promise<void>) =>
    async (...args: A) => {
      if (left-- <= 0) throw new Error("cut");
      await work(...args);
    };
  return { ...target, write: cut(target.write), flush: cut(target.flush) };
}

test.each([
  ["a byte that changed", (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace("s2", "sX"))],
  ["a line that is missing", (file: string) => truncateSync(file, statSync(file).size - 10)],
])("an import of an export with %s fails, and keeps the runs before the damage", async (_, damage) => {
  await record(["run-a"], 2);
  await exported();
  damage(join(folder, "events-000001.jsonl"));
  await expect(imported(new MemoryStore())).rejects.toMatchObject({ code: "COPY_MISMATCH" });
});

test("corrupt writes are detected, even if later writes were already gathered", async () => {
  const text = "x".repeat(250_000);
  const large = (place: number) =>
    newEvent({
      runId: "run-a",
      stepId: `s${place}`,
      eventType: "StepCompleted",
      planVersion: "1",
      eventData: { text },
    });
  await source.appendEvents(Array.from({ length: 40 }, (_, place) => large(place)));
  await using target = await fileTarget(folder);
  appendFileSync(join(folder, "events-000001.jsonl"), "foreign data");
  const events = await source.fetchEvents("run-a");
  await target.write([{ runId: "run-a", tenantId: "default", afterSeq: 0, events }]); // starts the write and does not wait for it
  await expect(target.flush()).rejects.toMatchObject({ code: "COPY_MISMATCH" });
  expect(lines("parts.jsonl")).toEqual([]);
});

test("a copy of another ledger and a foreign folder are refused", async () => {
  await record(["run-a"], 3);
  await exported();
  const other = new MemoryStore();
  await other.appendEvent(step("run-a", "s1"));
  await expect(exported(other)).rejects.toMatchObject({ code: "COPY_MISMATCH" });
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  await expect(exported()).rejects.toThrow(/EEXIST|ENOTDIR/);
  rmSync(folder);
});

test("a target that loses events is detected", async () => {
  await record(["run-a"], 3);
  const forgetful = Object.assign(new MemoryStore(), { copies: { writeCopies: async () => {} } });
  const target = storeTarget(forgetful);
  await expect(eventsOf(copyRuns(source, target))).rejects.toMatchObject({ code: "COPY_MISMATCH" });
});
