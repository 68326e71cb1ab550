// @module-tag R-02
/** Four processes with different clocks send signals to the same runs at once. The store decides (G1, P9). */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { workflow } from "runledger";
import { inRepository } from "../../scripts/lib/repository.mjs";

const HOUR = 3_600_000;
/** Clock skew of each process, and the signals that it denies. */
const SENDERS = [
  ["0", ""],
  [String(HOUR), "shared"],
  [String(-HOUR), ""],
  ["0", "shared"],
] as const;

interface Sent {
  readonly runId: string;
  readonly signalId: string;
}
type Answered = Sent & { readonly answer: string };

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;
let senders: readonly ChildProcess[];
const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-signal-chaos-"));
  const store = await PostgresStore.open({ url: database.url });
  const recording = recorder.recording("parent", (call) => call.proceed());
  ledger = new Ledger(interceptStore(store, recording), async () => {});
  senders = SENDERS.map(([shift, denies], index) => {
    const args = [database.url, `sender-${index}`, join(folder, `${index}.jsonl`), shift, denies];
    return fork(inRepository("tests/chaos/signal-process.mjs"), args, { execArgv: [] });
  });
  await Promise.all(senders.map((sender) => once(sender, "message")));
});

afterAll(async () => {
  for (const sender of senders) {
    sender.send([]);
    await once(sender, "exit");
  }
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Every process sends its signals at once. */
async function sendAll(signals: (sender: number) => readonly Sent[]): Promise<Answered[]> {
  const answers = senders.map(async (sender, index) => {
    const answered = once(sender, "message");
    sender.send(signals(index));
    return ((await answered) as [Answered[]])[0];
  });
  return (await Promise.all(answers)).flat();
}

function signalsIn(events: readonly CanonicalEngineEvent[], eventType: string): string[] {
  return events.filter((event) => event.eventType === eventType).map((event) => event.logicalAttemptId!);
}

async function assertClean(): Promise<void> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n").slice(0, -1));
  const operations = lines.map((line) => JSON.parse(line) as Operation);
  const history = mergeHistories([{ operations }, { operations: recorder.operations }, await readEnd(ledger.store)]);
  expect(checkHistory(history, { signals: true }).violations).toEqual([]);
}

test("200 concurrent signals of four processes accept exactly 60, and the run can still be canceled", async () => {
  const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));
  const { id: runId } = await ledger.start(waiting);
  const answers = await sendAll((sender) =>
    Array.from({ length: 50 }, (_, index) => ({ runId, signalId: `own-${sender}-${index}` })),
  );
  const count = (wanted: string): number => answers.filter(({ answer }) => answer === wanted).length;
  expect([count("accepted"), count("SIGNAL_LIMIT")]).toEqual([60, 140]);
  const accepted = answers.filter(({ answer }) => answer === "accepted").map(({ signalId }) => signalId);
  const events = await ledger.store.fetchEvents(runId);
  expect(signalsIn(events, "SignalAccepted").sort()).toEqual(accepted.sort());
  await ledger.act(runId, "CANCEL", { signalId: "cancel" });
  expect(signalsIn(await ledger.store.fetchEvents(runId), "SignalAccepted")).toContain("cancel");
  await assertClean();
});

test("processes that disagree about a signal record one answer, and nothing is accepted after the end", async () => {
  const short = workflow("short", { version: "1" }, (w) => {
    const one = w.step("one", () => 1);
    return w.step("two", { needs: { one } }, ({ needs }) => needs.one);
  });
  const runs = await Promise.all(Array.from({ length: 12 }, () => ledger.start(short)));
  await ledger.worker({ workflows: [short], pollMs: 20 });
  const answers = await sendAll((sender) =>
    runs.flatMap(({ id: runId }) => [
      { runId, signalId: "shared-1" },
      { runId, signalId: `own-${sender}` },
      { runId, signalId: "shared-2" },
    ]),
  );
  for (const run of runs) await run.result();
  for (const { id: runId } of runs) {
    const events = await ledger.store.fetchEvents(runId);
    for (const { signalId, answer } of answers.filter((each) => each.runId === runId)) {
      const eventType = answer === "accepted" ? "SignalAccepted" : "SignalRejected";
      expect(signalsIn(events, eventType), `${runId} ${signalId} ${answer}`).toContain(signalId);
    }
    const untaken = signalsIn(events, "SignalAccepted").length;
    const end = events.find(({ eventType }) => eventType === "RunCompleted");
    expect(end?.eventData).toMatchObject(untaken === 0 ? {} : { untakenSignals: untaken });
  }
  await assertClean();
});
