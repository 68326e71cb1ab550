// @module-tag L-40
import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { stateStoreConformance } from "@runledger/store-conformance";
import { afterAll, describe, expect, test } from "vitest";
import { FileStore } from "./file-store.js";

const root = await mkdtemp(join(tmpdir(), "runledger-file-store-"));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 20 }));

let folder = "";
const freshFolder = async (): Promise<string> => (folder = await mkdtemp(join(root, "store-")));

describe("a third party's adapter", () => {
  stateStoreConformance("FileStore", {
    runner: { describe, test },
    open: async () => FileStore.open({ folder: await freshFolder() }),
    reopen: () => FileStore.open({ folder }),
    lacks: [
      "feed",
      "leases",
      "archive",
      "copies",
      "index",
      "keyframes",
      "derived",
      "limits",
      "plans",
      "queue",
      "outbox",
      "schedules",
    ],
  });
});

const step = (stepId: string): NewEvent =>
  newEvent({ runId: "run-1", stepId, eventType: "StepStarted", planVersion: "1.0.0" });

async function stepsIn(store: FileStore): Promise<(string | undefined)[]> {
  return (await store.fetchEvents("run-1")).map((event) => event.stepId);
}

/** Simulates a crash that tears the line being written. */
test.each([
  ["half a line", (line: string) => line.slice(0, line.length / 2)],
  ["a line without its end", (line: string) => line.trimEnd()],
  ["a line without its middle", (line: string) => `${line.slice(0, 20)}${"\0".repeat(50)}\n`],
  ["a character cut in two", () => Buffer.from('{"appended":[{"tenantId":"\u{1f701}').subarray(0, -2)],
])("a crash that leaves %s loses nothing that was acknowledged", async (_, torn) => {
  const before = await FileStore.open({ folder: await freshFolder() });
  await before.appendEvents([step("a"), step("b")]);
  await before.close();
  const journal = join(folder, "journal.jsonl");
  await appendFile(journal, torn(await readFile(journal, "utf8")));
  await using after = await FileStore.open({ folder });
  expect(await stepsIn(after)).toEqual(["a", "b"]);
  expect(await after.appendEvents([step("b"), step("c")])).toMatchObject([
    { runSeq: 2, idempotent: true },
    { runSeq: 3, idempotent: false },
  ]);
  await after.close();
  await using again = await FileStore.open({ folder });
  expect(await stepsIn(again)).toEqual(["a", "b", "c"]);
});

test("a journal that is damaged before its last line is refused", async () => {
  const store = await FileStore.open({ folder: await freshFolder() });
  for (const stepId of ["a", "b"]) await store.appendEvent(step(stepId));
  await store.close();
  const journal = join(folder, "journal.jsonl");
  await writeFile(journal, `#${await readFile(journal, "utf8")}`);
  await expect(FileStore.open({ folder })).rejects.toMatchObject({ code: "STORE_FAULT" });
});

test("a folder in use is refused until its owner closes it", async () => {
  const owner = await FileStore.open({ folder: await freshFolder() });
  await expect(FileStore.open({ folder })).rejects.toMatchObject({ code: "STORE_BUSY", family: "retry" });
  await owner.close();
  await using next = await FileStore.open({ folder });
  expect(await stepsIn(next)).toEqual([]);
});

test("the lock of a dead process is taken over, the lock of a live one is not", async () => {
  await freshFolder();
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
  await writeFile(join(folder, "lock"), stdout.trim());
  await using store = await FileStore.open({ folder });
  await store.appendEvent(step("a"));
  await store.close();
  await writeFile(join(folder, "lock"), String(process.ppid));
  await expect(FileStore.open({ folder })).rejects.toMatchObject({ code: "STORE_BUSY" });
});
