// @module-tag B-10
/** The spool is durable and bounded, and survives a process that is killed while it writes (B1). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { closeSpool, openSpool, type OwnedSpool } from "./open-spool.js";
import { encodeRecord, type SpooledAppend } from "./spool-records.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runledger-spool-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const file = (slot = 0): string => join(folder, `${slot}.spool`);
const roomy = { maxBytes: 1_000_000, maxRecords: 1000 };

function start(runId: string, stepId = "a"): SpooledAppend {
  const event = newEvent({ runId, stepId, eventType: "StepStarted", planVersion: "1", logicalAttemptId: "1" });
  return { runId, epoch: 1, events: [event] };
}

async function open(limits = roomy): Promise<OwnedSpool> {
  const owned = await openSpool(folder, limits);
  onTestFinished(() => closeSpool(owned).catch(() => {})); // most tests have closed it
  return owned;
}

/** Opens the spool as the next process would, and returns what it finds. */
async function reopened(): Promise<readonly SpooledAppend[]> {
  const owned = await open();
  const { records } = owned.spool;
  await closeSpool(owned);
  return records;
}

async function fill(...appends: readonly SpooledAppend[]): Promise<void> {
  const owned = await open();
  for (const append of appends) expect(await owned.spool.add(append)).toBe(true);
  await closeSpool(owned);
}

test("records are found again in their order, with their keys", async () => {
  const appends = [start("one"), start("two"), start("one", "b")];
  await fill(...appends);
  expect(await reopened()).toEqual(appends);
});

test("a settled record is gone, and the file is empty once all are settled", async () => {
  const [one, two] = [start("one"), start("two")];
  const owned = await open();
  for (const append of [one, two]) await owned.spool.add(append);
  await owned.spool.remove([one]);
  expect(owned.spool.records).toEqual([two]);
  expect(owned.spool.bytes).toBe(encodeRecord(two).length);
  await owned.spool.remove([two]);
  expect([owned.spool.bytes, statSync(file()).size]).toEqual([0, 0]);
  await closeSpool(owned);
});

test("a torn tail of any length is cut off, and later records are readable", async () => {
  const [one, two, three] = [start("one"), start("two"), start("three")];
  const whole = encodeRecord(one).length;
  for (let torn = whole + 1; torn < whole + encodeRecord(two).length; torn += 40) {
    rmSync(file(), { force: true });
    await fill(one, two);
    truncateSync(file(), torn);
    expect(await reopened()).toEqual([one]);
    expect(statSync(file()).size).toBe(whole);
    await fill(three);
    expect(await reopened()).toEqual([one, three]);
  }
});

test("a record with a wrong checksum is cut off, and so are zeros after a crash of the system", async () => {
  const one = start("one");
  await fill(one, start("two"));
  const bytes = readFileSync(file());
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(file(), bytes);
  expect(await reopened()).toEqual([one]);
  appendFileSync(file(), Buffer.alloc(4096));
  expect(await reopened()).toEqual([one]);
});

test("a full spool refuses records, by number and by bytes, until some are settled", async () => {
  const [one, two] = [start("one"), start("two")];
  const byNumber = await open({ maxBytes: 1_000_000, maxRecords: 1 });
  expect([await byNumber.spool.add(one), await byNumber.spool.add(two)]).toEqual([true, false]);
  await byNumber.spool.remove([one]);
  expect(await byNumber.spool.add(two)).toBe(true);
  await byNumber.spool.remove([two]);
  await closeSpool(byNumber);
  const byBytes = await open({ maxBytes: encodeRecord(one).length + 10, maxRecords: 1000 });
  expect([await byBytes.spool.add(one), await byBytes.spool.add(two)]).toEqual([true, false]);
  await closeSpool(byBytes);
});

test("the file stays within its limit although a record is always open, and rewrites lose nothing", async () => {
  const maxBytes = 5 * encodeRecord(start("run-000")).length;
  const owned = await open({ maxBytes, maxRecords: 1000 });
  let last = start("run-000");
  await owned.spool.add(last);
  for (let index = 1; index < 50; index++) {
    const next = start(`run-${String(index).padStart(3, "0")}`);
    expect(await owned.spool.add(next)).toBe(true);
    await owned.spool.remove([last]);
    last = next;
    expect(statSync(file()).size).toBeLessThanOrEqual(maxBytes);
  }
  await closeSpool(owned);
  expect((await reopened()).at(-1)).toEqual(last);
});

test("two workers that share a folder have their own files, and a later one finds the records of both", async () => {
  const [first, second] = [await open(), await open()];
  await first.spool.add(start("one"));
  await second.spool.add(start("two"));
  expect(readdirSync(folder).filter((name) => name.endsWith(".spool"))).toEqual(["0.spool", "1.spool"]);
  await closeSpool(second);
  await closeSpool(first);
  expect((await reopened()).map(({ runId }) => runId)).toEqual(["one", "two"]);
});

test("a lock of a living process is respected, also on another machine; that of a killed one is replaced", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  await fill(start("one"));
  const lock = (host: string): void =>
    writeFileSync(`${file()}.lock`, JSON.stringify({ host, pid: child.pid, started: "" }));
  lock(hostname());
  expect(await reopened()).toEqual([]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await reopened()).toMatchObject([{ runId: "one" }]);
  lock("another-machine");
  expect(await reopened()).toEqual([]);
});

test("a lock with the pid of this process is stale: a container gives its processes the same pids", async () => {
  await fill(start("one"));
  writeFileSync(`${file()}.lock`, JSON.stringify({ host: hostname(), pid: process.pid, started: "" }));
  expect(await reopened()).toMatchObject([{ runId: "one" }]);
});
