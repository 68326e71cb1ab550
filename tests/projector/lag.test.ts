/** O-02, seen from outside: a projector in a process of its own, which polls, and readers who ask the store. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import type { Running } from "../support/runledger-command.js";
import { isStopped, said, startProjector } from "./projector-process.js";

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterEach(async () => {
  await sql.end();
  await store.close();
  await database.drop();
});

const event = (runId: string, eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", ...(stepId === undefined ? {} : { stepId }) });

async function start(): Promise<Running> {
  const projector = startProjector(database.url);
  await until(() => said(projector).partitions.length > 0);
  return projector;
}

const metric = (projector: Running, name: string): number | undefined => said(projector).metrics[name];

async function stop(projector: Running): Promise<void> {
  projector.kill("SIGSTOP");
  await until(() => isStopped(projector));
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(10);
}

async function isCurrent(runId: string): Promise<boolean> {
  const stored = await store.getSnapshot(runId);
  return stored !== null && stored.stale !== true;
}

/** What people see of it: the run itself, and its row in the list. */
async function staleness(runId: string): Promise<[boolean | undefined, boolean | undefined]> {
  const { runs } = await store.index.listRuns({ tenantId: "default" });
  return [(await store.getSnapshot(runId))?.stale, runs.find((run) => run.runId === runId)?.stale];
}

const alerts = ({ output }: Running): { code: string; severity: string; runId?: string }[] =>
  output
    .split("\n")
    .filter((line) => line.includes(`"level":"alert"`))
    .map((line) => JSON.parse(line) as { code: string; severity: string; runId?: string });

test("[O-02] events show after a poll, without anybody telling the projector; how long that takes is recorded", async ({
  annotate,
}) => {
  const projector = await start();
  const lags: number[] = [];
  for (let n = 0; n < 100; n++) {
    await store.appendEvent(event(`run-${n % 7}`, "StepStarted", `step-${n}`));
    const answered = performance.now();
    await until(() => isCurrent(`run-${n % 7}`));
    lags.push(performance.now() - answered);
  }
  const [p50, p99] = [0.5, 0.99].map((q) => lags.toSorted((a, b) => a - b)[Math.floor(q * lags.length)]!.toFixed(0));
  await annotate(`lag of 100 events: p50 ${p50} ms, p99 ${p99} ms; judged by the bench projector-lag`);
  await until(() => metric(projector, "projector_events_total") === 100);
  expect(metric(projector, "projector_event_lag_seconds")).toBeGreaterThan(50); // how many it has measured itself
  expect(metric(projector, "projector_backlog_runs")).toBe(0);
  expect(alerts(projector)).toEqual([]);
});

/** As if the events had waited for so long. */
const age = (runId: string, seconds: number): Promise<unknown> =>
  sql.query(
    "UPDATE runledger.run_events SET persisted_at = persisted_at - $2 * interval '1 second' WHERE run_id = $1",
    [runId, seconds],
  );

test("[O-02] behind by more than 5 s: an alert; by more than 10 s: a resync; readers see stale meanwhile", async () => {
  const projector = await start();
  await store.appendEvent(event("run", "RunStarted"));
  await until(() => isCurrent("run"));
  for (const [alertsSoFar, seconds] of [6, 11].entries()) {
    await stop(projector);
    await store.appendEvent(event("run", "StepStarted", `after-${seconds}`));
    await age("run", seconds);
    expect(await staleness("run")).toEqual([true, true]);
    projector.kill("SIGCONT");
    await until(() => metric(projector, "alerts_total{code=PROJECTOR_LAG_HIGH}") === alertsSoFar + 1);
    await until(() => metric(projector, "projector_lag_seconds") === 0);
    expect(await staleness("run")).toEqual([undefined, undefined]);
  }
  expect(metric(projector, "projector_resyncs_total{reason=lag}")).toBe(1); // not for the six seconds
  const high = { code: "PROJECTOR_LAG_HIGH", severity: "P2" };
  expect(alerts(projector)).toMatchObject([high, high]);
});

test("[O-02] a gap: an alert, a resync of its run, stale for its readers until it is filled", async () => {
  const projector = await start();
  await stop(projector);
  await store.appendEvents(["a", "b", "c"].map((stepId) => event("torn", "StepStarted", stepId)));
  await store.appendEvent(event("whole", "RunStarted"));
  await sql.query("CREATE TABLE lost AS SELECT * FROM runledger.run_events WHERE run_id = 'torn' AND run_seq = 2");
  await sql.query("DELETE FROM runledger.run_events WHERE run_id = 'torn' AND run_seq = 2");
  projector.kill("SIGCONT");
  await until(() => isCurrent("whole"));
  await until(() => metric(projector, "projector_stale_runs") === 1);
  expect(await store.getSnapshot("torn")).toMatchObject({ lastEventSeq: 1, stale: true });
  expect(await staleness("torn")).toEqual([true, true]);
  expect(alerts(projector)).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "P1", runId: "torn" }]);
  expect(metric(projector, "projector_gaps_total")).toBe(1);
  expect(metric(projector, "projector_resyncs_total{reason=gap}")).toBe(1);
  await sql.query("INSERT INTO runledger.run_events SELECT * FROM lost");
  await until(() => isCurrent("torn"));
  await until(() => metric(projector, "projector_stale_runs") === 0);
  expect(await store.getSnapshot("torn")).toEqual(await store.projectSnapshot("torn"));
});
