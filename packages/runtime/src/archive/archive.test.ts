// @module-tag B-31
/** Archives of files in a folder: round trips, damage, and what a killed process leaves (A7). */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newEvent, type CanonicalEngineEvent, type StateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventLine } from "../transfer/event-line.js";
import { storeTarget } from "../transfer/store-target.js";
import { archiveRun, archiveRunOnce } from "./archive-run.js";
import { checkArchivePlace, openPlace, type ArchivePlace } from "./archive-place.js";
import { copyArchive } from "./import-archive.js";
import { isArchive, prepareArchive } from "./archive-marker.js";
import { manifestKey } from "./manifest.js";
import { readArchivedEvents, verifyArchive, type VerifiedArchiveRun } from "./read-archive.js";

let folder: string;
let place: ArchivePlace;
let source: MemoryStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "runledger-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  place = await openPlace(folder);
  source = new MemoryStore();
});

const event = (runId: string, eventType: string, more: object = {}) =>
  newEvent({ runId, eventType, planId: "orders", planVersion: "1", eventData: { z: 1, a: ["日", null] }, ...more });

async function finishedRun(runId: string, steps = 2, store: Pick<StateStore, "appendEvents"> = source): Promise<void> {
  const middle = Array.from({ length: steps }, (_, n) => event(runId, "StepStarted", { stepId: `s${n}` }));
  await store.appendEvents([event(runId, "RunStarted"), ...middle, event(runId, "RunCompleted")]);
}

async function imported(target: MemoryStore, from = place): Promise<number> {
  let events = 0;
  for await (const run of copyArchive(from, storeTarget(target), { artifacts: target.artifacts })) events += run.events;
  return events;
}

async function linesIn(store: StateStore, runId: string): Promise<string[]> {
  return (await store.fetchEvents(runId, { limit: 100_000 })).map(eventLine);
}

async function archivedLines(runId: string): Promise<string[]> {
  const events: CanonicalEngineEvent[] = [];
  for await (const part of readArchivedEvents(place, runId)) events.push(...part);
  return events.map(eventLine);
}

async function verified(): Promise<VerifiedArchiveRun[]> {
  const runs: VerifiedArchiveRun[] = [];
  for await (const run of verifyArchive(place)) runs.push(run);
  return runs;
}

const filesBelow = (path: string): string[] =>
  readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test("a run that was archived, read in place and imported again is identical", async () => {
  await finishedRun("run-a");
  await finishedRun("Run-A"); // differs in case only
  await finishedRun('run "é" / 日', 3, source.forTenant("acme"));
  const ids = ["run-a", "Run-A", 'run "é" / 日'];
  for (const runId of ids) await archiveRun(source, place, runId);
  const restored = new MemoryStore();
  expect(await imported(restored)).toBe(13);
  for (const runId of ids) {
    expect(await archivedLines(runId)).toEqual(await linesIn(source, runId));
    expect(await linesIn(restored, runId)).toEqual(await linesIn(source, runId));
  }
  expect(await restored.forTenant("acme").fetchEvents(ids[2]!)).toHaveLength(5);
  expect(await restored.forTenant("acme").fetchEvents("run-a")).toEqual([]);
  expect(new Set((await verified()).map(({ runId }) => runId))).toEqual(new Set(ids));
  expect(await imported(restored)).toBe(0);
});

test("a long run has several files, and every range is in the manifest", async () => {
  const text = "x".repeat(200_000);
  const large = Array.from({ length: 50 }, (_, n) =>
    event("long", "StepCompleted", { stepId: `s${n}`, eventData: { text, n } }),
  );
  await source.appendEvents([event("long", "RunStarted"), ...large, event("long", "RunCompleted")]);
  await archiveRun(source, place, "long");
  const manifest = JSON.parse(readFileSync(join(folder, manifestKey("long")), "utf8")) as {
    events: number;
    eventFiles: { firstSeq: number; lastSeq: number; lines: number; textBytes: number; bytes: number }[];
  };
  expect(manifest.events).toBe(52);
  expect(manifest.eventFiles.length).toBeGreaterThan(2);
  let seq = 0;
  for (const { firstSeq, lastSeq, lines, textBytes, bytes } of manifest.eventFiles) {
    expect([firstSeq, lines]).toEqual([seq + 1, lastSeq - seq]);
    expect(bytes).toBeLessThan(textBytes / 10);
    seq = lastSeq;
  }
  expect(seq).toBe(52);
  const restored = new MemoryStore();
  expect(await imported(restored)).toBe(52);
  expect(await linesIn(restored, "long")).toEqual(await linesIn(source, "long"));
});

test("artifacts are archived and restored, whole or not", async () => {
  await finishedRun("run-a");
  const whole = { sha256: "0".repeat(64), sizeBytes: 6000 };
  const table = { uri: "store://1", runId: "run-a", kind: "table", stepId: "s0", attempt: 1 };
  const cut = { uri: "store://2", runId: "run-a", kind: "log" };
  for (let chunk = 1; chunk <= 6; chunk++) {
    const bytes = Buffer.alloc(1000, chunk);
    await source.artifacts.writeChunk({ artifact: table, chunk, bytes, ...(chunk === 6 && { whole }) });
  }
  await source.artifacts.writeChunk({ artifact: cut, chunk: 1, bytes: Buffer.from("first line\n") });
  await archiveRun(source, place, "run-a");
  const restored = new MemoryStore();
  await imported(restored);
  await imported(restored);
  const listed = async (store: MemoryStore) =>
    (await store.artifacts.listArtifacts({ runId: "run-a" })).map(({ createdAt: _, ...artifact }) => artifact);
  expect(await listed(restored)).toEqual(await listed(source));
  for (const { uri } of [table, cut])
    expect(await restored.artifacts.readChunks({ uri })).toEqual(await source.artifacts.readChunks({ uri }));
});

test("only the owner can read an archive", async () => {
  await finishedRun("run-a");
  await archiveRun(source, place, "run-a");
  for (const path of [...readdirSync(folder, { recursive: true })].map(String))
    expect(statSync(join(folder, path)).mode & 0o077, path).toBe(0);
});

const flip = (file: string, at: number): void => {
  const data = readFileSync(file);
  data[at]! ^= 1 << (at % 8);
  writeFileSync(file, data);
};

const DAMAGE: readonly [string, (file: string) => void][] = [
  ["a flipped bit at its start", (file) => flip(file, 3)],
  ["a flipped bit in its middle", (file) => flip(file, Math.floor(statSync(file).size / 2))],
  ["a flipped bit at its end", (file) => flip(file, statSync(file).size - 1)],
  ["a missing end", (file) => writeFileSync(file, readFileSync(file).subarray(0, -7))],
  ["nothing in it", (file) => writeFileSync(file, "")],
  ["more data", (file) => appendFileSync(file, "x")],
];

test.each(DAMAGE)("a file with %s is refused and named, and archiving again repairs it", async (_, damage) => {
  await finishedRun("run-a", 20);
  await archiveRun(source, place, "run-a");
  const lines = await linesIn(source, "run-a");
  for (const file of [...filesBelow("manifests"), ...filesBelow("data")]) {
    damage(file);
    const refused = { code: "ARCHIVE_DAMAGED", message: expect.stringContaining(file) as string };
    await expect(archivedLines("run-a")).rejects.toMatchObject(refused);
    const target = new MemoryStore();
    await expect(imported(target)).rejects.toMatchObject(refused);
    expect(await target.fetchHeads(["run-a"])).toEqual([]);
    expect(await verified()).toEqual([expect.objectContaining({ damage: expect.stringContaining(file) as string })]);
    await archiveRun(source, place, "run-a");
    expect(await archivedLines("run-a")).toEqual(lines);
  }
});

test("a missing file is refused and named", async () => {
  await finishedRun("run-a");
  await archiveRun(source, place, "run-a");
  const [file] = filesBelow("data");
  rmSync(file!);
  await expect(archivedLines("run-a")).rejects.toMatchObject({
    code: "ARCHIVE_DAMAGED",
    message: expect.stringContaining(file!) as string,
  });
  await expect(archivedLines("run-b")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});

/** Fails at the given write, before or after it reached the place. */
function failing(at: number, isWritten: boolean): ArchivePlace {
  let writes = 0;
  return {
    name: place.name,
    read: (key) => place.read(key),
    list: (prefix) => place.list(prefix),
    write: async (key, data) => {
      if (++writes !== at) return place.write(key, data);
      if (isWritten) await place.write(key, data);
      throw new Error("cut");
    },
  };
}

test("an interrupted run is not in the archive until it is written again, and is then whole", async () => {
  await finishedRun("run-a");
  const artifact = { uri: "store://1", runId: "run-a", kind: "log" };
  await source.artifacts.writeChunk({ artifact, chunk: 1, bytes: Buffer.from("a line\n") });
  for (const [at, isWritten] of [
    [1, false],
    [1, true],
    [1, false],
    [1, true],
    [1, false],
  ] as const) {
    await expect(archiveRun(source, failing(at, isWritten), "run-a")).rejects.toThrow("cut");
    await expect(archivedLines("run-a")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await expect(imported(new MemoryStore())).rejects.toMatchObject({ code: "OPTION_INVALID" });
  }
  await archiveRun(source, place, "run-a");
  expect(await archivedLines("run-a")).toEqual(await linesIn(source, "run-a"));
});

test("an import that was interrupted is continued", async () => {
  for (const runId of ["run-a", "run-b", "run-c"]) await finishedRun(runId);
  for (const runId of ["run-a", "run-b", "run-c"]) await archiveRun(source, place, runId);
  const restored = new MemoryStore();
  const events = await source.fetchEvents("run-b");
  const part = { runId: "run-b", tenantId: "default", afterSeq: 0, events: events.slice(0, 2), isFinished: true };
  await storeTarget(restored).write([part]);
  expect(await imported(restored)).toBe(10);
  for (const runId of ["run-a", "run-b", "run-c"])
    expect(await linesIn(restored, runId)).toEqual(await linesIn(source, runId));
});

test("a half file that a killed process left is not read, and is removed when it is old", async () => {
  await finishedRun("run-a");
  const drafts = join(folder, "drafts");
  mkdirSync(drafts);
  for (const name of ["new", "old"]) writeFileSync(join(drafts, name), "half");
  utimesSync(join(drafts, "old"), 0, 0);
  await prepareArchive(place);
  await archiveRun(source, place, "run-a");
  expect(await verified()).toEqual([{ runId: "run-a", events: 4 }]);
  expect(readdirSync(drafts)).toEqual(["new"]);
});

test("a place that loses bytes is detected before the manifest is written", async () => {
  await finishedRun("run-a");
  const lossy: ArchivePlace = {
    name: place.name,
    read: (key) => place.read(key),
    list: (prefix) => place.list(prefix),
    write: (key, data) => place.write(key, data.subarray(0, -1)),
  };
  await expect(archiveRun(source, lossy, "run-a")).rejects.toMatchObject({ code: "ARCHIVE_DAMAGED" });
  await expect(archivedLines("run-a")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});

test("a run that continued after it was restored is archived again", async () => {
  await finishedRun("run-a");
  expect(await archiveRunOnce(source, place, "run-a")).toBe(4);
  expect(await archiveRunOnce(source, place, "run-a")).toBe(0);
  await source.appendEvent(event("run-a", "RunResumed"));
  expect(await archiveRunOnce(source, place, "run-a")).toBe(5);
  expect(await archivedLines("run-a")).toEqual(await linesIn(source, "run-a"));
});

test("an archive of another ledger is refused and not changed", async () => {
  await finishedRun("run-a");
  await archiveRun(source, place, "run-a");
  const other = new MemoryStore();
  await finishedRun("run-a", 9, other);
  await expect(archiveRun(other, place, "run-a")).rejects.toMatchObject({ code: "COPY_MISMATCH" });
  const shorter = new MemoryStore();
  await finishedRun("run-a", 0, shorter);
  await expect(archiveRun(shorter, place, "run-a")).rejects.toMatchObject({ code: "COPY_MISMATCH" });
  expect(await archivedLines("run-a")).toEqual(await linesIn(source, "run-a"));
});

test("a folder with other files is not used as an archive", async () => {
  expect(await isArchive(place)).toBe(false);
  writeFileSync(join(folder, "notes.txt"), "mine");
  await expect(prepareArchive(place)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  rmSync(join(folder, "notes.txt"));
  await prepareArchive(place);
  expect(await isArchive(place)).toBe(true);
  await prepareArchive(place);
});

test("places that are neither a folder nor a bucket are refused", () => {
  const invalid = ["", "gs://bucket", "s3://", "s3://user:secret@bucket", "s3://bucket?key=1", "s3://b?endpoint=host"];
  for (const name of invalid) expect(() => checkArchivePlace(name), name).toThrow(/archive: /);
  for (const name of ["a", "./a b", "C:\\a", "s3://bucket", "s3://b/c/d?endpoint=http://127.0.0.1:1&region=eu"])
    expect(() => checkArchivePlace(name), name).not.toThrow();
});
