// @module-tag O-02
/** Runs a polling projector in its own process and reads the store from outside. */
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { catchUp } from "@runledger/runtime/projector/catch-up";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import type { Running } from "@runledger/test-support/runledger-command";
import { testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { isStopped, said, startProjector } from "./projector-process.js";
import { until } from "@runledger/test-support/until";

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;
let other: Client;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  other = new Client({ connectionString: database.url });
  await Promise.all([sql.connect(), other.connect()]);
});
afterEach(async () => {
  await Promise.all([sql.end(), other.end()]);
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

async function isCurrent(runId: string): Promise<boolean> {
  const stored = await store.getSnapshot(runId);
  return stored !== null && stored.stale !== true;
}

/** The run and its row in the list, as readers see them. */
async function staleness(runId: string): Promise<[boolean | undefined, boolean | undefined]> {
  const { runs } = await store.index.listRuns({ tenantId: "default" });
  return [(await store.getSnapshot(runId))?.stale, runs.find((run) => run.runId === runId)?.stale];
}

/** The alerts in the log of a process. */
const alerts = ({ output }: Running): { code: string; severity: string; runId?: string }[] =>
  output
    .split("\n")
    .filter((line) => line.includes(`"alert":`) && line.endsWith("}"))
    .map((line) => JSON.parse(line) as { alert: string; severity: string; runId?: string })
    .map(({ alert: code, ...about }) => ({ code, ...about }));

test("events become visible after a poll, and the lag is recorded", async ({ annotate }) => {
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
  expect(metric(projector, "projector_event_lag_seconds")).toBeGreaterThan(50); // the number that the projector measured
  expect(metric(projector, "projector_backlog_runs")).toBe(0);
  expect(alerts(projector)).toEqual([]);
});

/** Backdates events, as if they had waited this long. */
const age = (runId: string, seconds: number): Promise<unknown> =>
  other.query(
    "UPDATE runledger.run_events SET persisted_at = persisted_at - $2 * interval '1 second' WHERE run_id = $1",
    [runId, seconds],
  );

/** The lag and alerts as a server without a projector reports them, on every surface. */
async function reported({ server, client, ledger }: TestServer) {
  const health = await client.getHealth();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const probe = await fetch(`${server.url}/readyz`);
  return {
    alerts: health.alerts.map(({ code, severity }) => ({ code, severity })),
    lagSeconds: health.projector?.lagSeconds ?? 0,
    gauge: Number(/^runledger_projector_lag_seconds (\S+)$/m.exec(metrics)?.[1] ?? 0),
    counted: Number(
      /^runledger_alerts_total\{code="PROJECTOR_LAG_HIGH",severity="warning"\} (\S+)$/m.exec(metrics)?.[1] ?? 0,
    ),
    notReady: ((await probe.json()) as { notReady: { part: string; reason: string }[] }).notReady,
    status: probe.status,
    recorded: ledger.alerts.length,
  };
}

const high = { code: "PROJECTOR_LAG_HIGH", severity: "warning" };

test(
  "a server reports the lag while the only projector is suspended; readers see stale",
  { tags: ["R-06", "R-11"] },
  async () => {
    const projector = await start();
    const here = await testServer([], { store: database.url });
    await store.appendEvent(event("run", "RunStarted"));
    await until(() => isCurrent("run"));
    await stop(projector);
    await store.appendEvent(event("run", "StepStarted", "a"));
    expect(await staleness("run")).toEqual([true, true]);
    await age("run", 6);
    await until(async () => (await reported(here)).alerts.length > 0);
    const behind = await reported(here);
    expect(behind).toMatchObject({ alerts: [high], counted: 1, recorded: 1, status: 200, notReady: [] });
    expect(Math.min(behind.gauge, behind.lagSeconds)).toBeGreaterThan(5);
    await age("run", 60);
    await until(async () => (await reported(here)).status === 503);
    const { notReady, alerts: raised } = await reported(here);
    expect(notReady).toMatchObject([{ part: "projector" }]);
    expect(notReady[0]!.reason).toMatch(/^projections are \d+ s behind the log$/);
    expect(raised).toEqual([high]); // one alert until it has caught up
    projector.kill("SIGCONT");
    await until(async () => (await reported(here)).gauge === 0);
    expect(await reported(here)).toMatchObject({ lagSeconds: 0, status: 200, notReady: [] });
    expect(await staleness("run")).toEqual([undefined, undefined]);
  },
);

test("a server reports the lag if no projector ever ran", { tags: ["R-06"] }, async () => {
  const here = await testServer([], { store: database.url });
  await store.appendEvents([event("run", "RunStarted"), event("other", "RunStarted")]);
  await age("run", 61);
  await until(async () => (await reported(here)).status === 503);
  expect(await reported(here)).toMatchObject({ alerts: [high], notReady: [{ part: "projector" }] });
  await catchUp(store);
  await until(async () => (await reported(here)).status === 200);
  expect((await reported(here)).gauge).toBeLessThan(1);
});

/** Saves of projections wait for this lock; readers do not. */
const LOCK = "BEGIN; LOCK TABLE runledger.run_snapshots IN EXCLUSIVE MODE";

test("a projector that cannot save alerts above 5 s, and resyncs above 10 s", { tags: ["R-06"] }, async () => {
  const projector = await start();
  for (const [alertsSoFar, seconds] of [6, 11].entries()) {
    await sql.query(LOCK);
    await store.appendEvent(event("run", "StepStarted", `after-${seconds}`));
    await age("run", seconds);
    await until(() => alerts(projector).length === alertsSoFar + 1);
    await until(() => (metric(projector, "projector_lag_seconds") ?? 0) > 5);
    await sql.query("COMMIT");
    await until(() => metric(projector, "projector_lag_seconds") === 0);
    expect(await staleness("run")).toEqual([undefined, undefined]);
  }
  expect(metric(projector, "projector_resyncs_total{reason=lag}")).toBe(1); // not for the six seconds
  expect(alerts(projector)).toMatchObject([high, high]);
});

test("a gap raises an alert and marks its run stale until it is filled", async () => {
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
  expect(alerts(projector)).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: "torn" }]);
  expect(metric(projector, "projector_gaps_total")).toBe(1);
  expect(metric(projector, "projector_resyncs_total{reason=gap}")).toBe(1);
  await sql.query("INSERT INTO runledger.run_events SELECT * FROM lost");
  await until(() => isCurrent("torn"));
  await until(() => metric(projector, "projector_stale_runs") === 0);
  expect(await store.getSnapshot("torn")).toEqual(await store.projectSnapshot("torn"));
});
