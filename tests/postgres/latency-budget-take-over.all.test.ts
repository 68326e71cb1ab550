// @module-tag B-10
/** A worker stalls past its lease with starts in its spool, and another worker takes its runs over (B1). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore, type Around } from "@runledger/runtime/testing/intercept-store";
import { checkHistory } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { until } from "@runledger/test-support/until";
import { workflow, type Worker } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { spooledBytes } from "./stalled-run.js";

const RUNS = 5;
const LEASE_MS = 2000;
let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.drop());

test("workers that share a folder of spools take over from each other, and every attempt is recorded once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-take-over-"));
  const proxy = await startSilentProxy(database.url);
  const recorder = new HistoryRecorder();
  const ledgers: Ledger[] = [];
  onTestFinished(async () => {
    proxy.resume();
    await Promise.all(ledgers.map((each) => each.close()));
    await proxy.close();
    rmSync(folder, { recursive: true });
  });
  const open = async (client: string, url: string): Promise<Ledger> => {
    const store = await PostgresStore.open({ url, poolSize: 4 });
    const around: Around = ({ proceed }) => proceed();
    const ledger = new Ledger(interceptStore(store, recorder.recording(client, around)), () => store.close());
    ledgers.push(ledger);
    return ledger;
  };
  const executed: string[] = [];
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  const retry = { attempts: 9, delay: "1s", maxDelay: "1s" } as const;
  const flow = (client: string) =>
    workflow("shared", { version: "1" }, (w) => {
      w.step("keeper", { retry }, () => (client === "stalled" ? isReleased : undefined));
      return w.step("work", { retry }, ({ runId, attempt }) => {
        executed.push(`${client} ${runId} ${attempt}`);
        if (attempt === 1) throw new Error("The first attempt fails.");
        return client;
      });
    });
  const startWorker = async (client: string, url: string): Promise<Worker> =>
    (await open(client, url)).worker({
      workflows: [flow(client)],
      leaseMs: LEASE_MS,
      onAlert: () => {},
      stateStore: { writeLatencyBudgetMs: 300, failOpenForEventClass: ["StepStarted"], spool: { folder } },
    });
  const starter = await open("starter", database.url);
  const stalled = await startWorker("stalled", proxy.url);
  const runs = await Promise.all(Array.from({ length: RUNS }, () => starter.start(flow("stalled"))));
  const hasFailed = async ({ id }: { readonly id: string }): Promise<boolean> =>
    (await starter.store.fetchEvents(id)).some(({ eventType }) => eventType === "StepFailed");
  await until(async () => (await Promise.all(runs.map(hasFailed))).every(Boolean));
  proxy.silence("all");
  const other = await startWorker("other", database.url);
  for (const run of runs) expect(await run.result()).toBe("other");
  proxy.resume();
  release();
  await until(() => spooledBytes(folder) === 0 && stalled.driving === 0);
  await Promise.all([stalled.stop(), other.stop()]);
  expect(executed.filter((each) => each.startsWith("stalled") && each.endsWith(" 2")).length).toBeGreaterThan(0);
  for (const { id } of runs) {
    const ends = (await starter.store.fetchEvents(id)).filter(({ eventType }) => eventType === "RunCompleted");
    expect(ends).toHaveLength(1);
  }
  expect(checkHistory(await recorder.history(starter.store)).violations).toEqual([]);
});
