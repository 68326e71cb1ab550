// @module-tag R-03
/** Faults that are planted in the log itself, with SQL in a real PostgreSQL (F6). */
import { newEvent, type FullStateStore } from "@runledger/contracts";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Alert } from "../engine/run-context.js";
import { Ledger } from "../ledger/ledger.js";
import { readHeader, readRun, readSteps } from "../runs/read-run.js";
import { copyRuns, type CopiedRun } from "../transfer/copy-runs.js";
import { storeTarget } from "../transfer/store-target.js";
import { workflow } from "../workflow/workflow.js";
import type { Alert as ProjectorAlert } from "./alerts.js";
import { catchUp } from "./catch-up.js";
import { Projector } from "./projector.js";
import { rebuild } from "./rebuild.js";
import { verify, type VerifiedRun } from "./verify.js";

let database: FreshDatabase;
let store: PostgresStore;
let client: Client;

beforeAll(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("ALTER TABLE runledger.run_events DROP CONSTRAINT run_events_run_id_idempotency_key_key");
});
afterAll(async () => {
  await client.end();
  await store.close();
  await database.drop();
});
beforeEach(() => database.empty());

const RUN = "run-1";
const planned = { planVersion: "1", planId: "p" };
const step = (stepId: string, eventType: string, eventData = {}) =>
  newEvent({ runId: RUN, stepId, eventType, ...planned, eventData });
const ofRun = (eventType: string) => newEvent({ runId: RUN, eventType, ...planned });

/** Appends a finished run of six events and projects it. */
async function recordRun(): Promise<ReturnType<typeof recordHistory>> {
  const recorder = await recordEvents();
  await catchUp(store);
  return recorder;
}

async function recordEvents(): Promise<ReturnType<typeof recordHistory>> {
  const recorder = recordHistory(store);
  const events = [
    ofRun("RunStarted"),
    step("a", "StepStarted"),
    step("a", "StepCompleted", { output: 1 }),
    step("b", "StepStarted"),
    step("b", "StepFailed", { error: { code: "E", message: "first", retryable: false } }),
    ofRun("RunCompleted"),
  ];
  for (const event of events) await recorder.store.appendEvent(event);
  return recorder;
}

const events = "runledger.run_events";
const at = (seq: number): string => `run_id = '${RUN}' AND run_seq = ${seq}`;
const renumber = (from: number, to: number): string => `UPDATE ${events} SET run_seq = ${to} WHERE ${at(from)}`;
const others = "run_id, event_id, step_id, logical_attempt_id, event_type, event_data, idempotency_key, emitted_at";

/** The SQL of a fault, the damage that `verify` reports, and an invariant that the history checker finds violated. */
const faults: Readonly<Record<string, readonly [sql: string, damage: string, invariant: string]>> = {
  "the first event is missing": [`DELETE FROM ${events} WHERE ${at(1)}`, "event 1 is missing", "seq-is-1-to-n"],
  "an event in the middle is missing": [
    `DELETE FROM ${events} WHERE ${at(3)}`,
    "event 3 is missing",
    "acknowledged-in-log",
  ],
  "the last event is missing": [`DELETE FROM ${events} WHERE ${at(6)}`, "event 6 is missing", "acknowledged-in-log"],
  "all events are missing": [`DELETE FROM ${events}`, "events 1 to 6 are missing", "acknowledged-in-log"],
  "a key is duplicated": [
    `DELETE FROM ${events} WHERE ${at(4)}; INSERT INTO ${events} (run_seq, persisted_at, plan_id, plan_version, ${others})
      SELECT 4, persisted_at, plan_id, plan_version, ${others} FROM ${events} WHERE ${at(3)}`,
    "event 4: event 3 has the same key",
    "one-row-per-key",
  ],
  "an event was changed": [
    `UPDATE ${events} SET step_id = 'other' WHERE ${at(3)}`,
    "event 3: its key does not match its content",
    "key-matches-content",
  ],
  "two events are swapped": [
    `UPDATE ${events} SET persisted_at = persisted_at + run_seq * interval '1 second';
     ${renumber(3, 99)}; ${renumber(5, 3)}; ${renumber(99, 5)}`,
    "event 4 was stored before event 3: their order was changed",
    "acknowledged-in-log",
  ],
  "a payload was changed": [
    `UPDATE ${events} SET event_data = '{"error":{"code":"E","message":"second","retryable":false}}' WHERE ${at(5)}`,
    "event 5 was changed after it was stored",
    "payload-kept",
  ],
  "an output was changed, which no derived data shows": [
    `UPDATE ${events} SET event_data = '{"output":2}' WHERE ${at(3)}`,
    "event 3 was changed after it was stored",
    "payload-kept",
  ],
};

async function verified(from: FullStateStore = store): Promise<VerifiedRun> {
  const runs: VerifiedRun[] = [];
  for await (const run of verify(from)) runs.push(run);
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

test("a log without faults is not damaged", async () => {
  await recordRun();
  expect(await verified()).toMatchObject({ lastEventSeq: 6, differences: [], damage: [] });
});

test.each(Object.entries(faults))("%s: verify and the history checker find it", async (_, [sql, damage, invariant]) => {
  const recorder = await recordRun();
  await client.query(sql);
  const found = await verified();
  expect(found.damage).toEqual(expect.arrayContaining([damage]));
  const { violations } = checkHistory(await recorder.finish());
  expect(violations.map((violation) => violation.invariant)).toContain(invariant);
});

const LOST: readonly (readonly [string, number])[] = [
  ["first", 1],
  ["third", 3],
  ["last", 6],
];

test.each(LOST)("readers stop before a lost %s event, and rebuild and archive leave the run", async (_, lost) => {
  await recordRun();
  await client.query(`DELETE FROM ${events} WHERE ${at(lost)}`);
  const gap = { code: "LOG_GAP", gap: { from: lost, to: lost } };
  if (lost === 1) await expect(store.projectSnapshot(RUN)).rejects.toMatchObject(gap);
  else expect(await store.projectSnapshot(RUN)).toMatchObject({ lastEventSeq: lost - 1, stale: true });
  if (lost < 6) await expect(store.fetchEvents(RUN, { afterSeq: lost - 1 })).rejects.toMatchObject(gap);
  if (lost > 1) expect((await store.fetchEvents(RUN)).map(({ runSeq }) => runSeq).at(-1)).toBe(lost - 1);
  const before = await store.getSnapshot(RUN);
  for await (const rebuilt of rebuild(store)) expect(rebuilt).toMatchObject({ damaged: true, orphan: false });
  expect(await store.getSnapshot(RUN)).toEqual(before);
  expect(await store.archive.archiveRun(RUN)).toEqual({ runId: RUN, archived: false, reason: "damaged" });
});

test("a worker executes nothing on top of a lost event, and raises an alert", async () => {
  const calls: string[] = [];
  const flow = workflow("lossy", { version: "1" }, (w) => {
    const pay = w.step("pay", () => void calls.push("pay"));
    const go = w.waitForSignal("go", { after: [pay] });
    return w.step("after", { after: [go] }, () => void calls.push("after"));
  });
  const ledger = new Ledger(store, async () => {});
  const alerts: Alert[] = [];
  const worker = await ledger.worker({ workflows: [flow], onAlert: (alert) => void alerts.push(alert) });
  onTestFinished(() => worker.stop());
  const run = await ledger.start(flow);
  const isParked = `SELECT FROM runledger.run_queue WHERE owner IS NULL AND EXISTS (
    SELECT FROM ${events} WHERE step_id = 'go' AND event_type = 'StepStarted')`;
  await until(async () => (await client.query(isParked)).rowCount === 1);
  const lose = `DELETE FROM ${events} WHERE step_id = 'pay' AND event_type = 'StepCompleted'`;
  await client.query(`DELETE FROM runledger.checkpoints; ${lose}`);
  await expect(run.signal("go" as never, null as never)).rejects.toMatchObject({ code: "LOG_GAP" });
  await client.query("UPDATE runledger.run_queue SET available_at = now()");
  await until(() => alerts.length > 0);
  expect(alerts).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: run.id }]);
  expect(calls).toEqual(["pay"]);
});

test("a worker that resumes at a checkpoint executes no step whose input was lost before it", async () => {
  const calls: unknown[] = [];
  const flow = workflow("cut", { version: "1" }, (w) => {
    const pay = w.step("pay", () => "receipt");
    const go = w.waitForSignal("go", { after: [pay] });
    return w.step("after", { needs: { pay }, after: [go] }, ({ needs }) => void calls.push(needs.pay));
  });
  const ledger = new Ledger(store, async () => {});
  const first = await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await until(async () => (await client.query("SELECT FROM runledger.checkpoints")).rowCount === 1);
  await first.stop();
  await client.query(`DELETE FROM ${events} WHERE step_id = 'pay' AND event_type = 'StepCompleted'`);
  await run.signal("go" as never, null as never);
  const alerts: Alert[] = [];
  const second = await ledger.worker({ workflows: [flow], onAlert: (alert) => void alerts.push(alert) });
  onTestFinished(() => second.stop());
  await until(() => alerts.length > 0);
  expect(alerts).toMatchObject([{ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: run.id }]);
  expect(alerts[0]!.message).toContain(`The log of run ${run.id} has lost the completion of step pay.`);
  expect(calls).toEqual([]);
  expect((await verified()).damage).toEqual(["event 4 is missing"]);
});

test.each([3, 6])("a reader shows a run that has lost event %s up to there, marked stale", async (lost) => {
  await recordEvents();
  await client.query(`DELETE FROM ${events} WHERE ${at(lost)}`);
  const [head] = await store.fetchHeads([RUN]);
  for (const read of [readRun, readHeader])
    expect(await read(store, head!)).toMatchObject({ lastEventSeq: lost - 1, stale: true });
  const steps = await readSteps(store, head!, { afterOrdinal: -1, limit: 10 });
  expect(steps.map(({ stepId }) => stepId)).toEqual(lost === 3 ? ["a"] : ["a", "b"]);
});

test("an export leaves damaged runs out, names them, and copies the others", async () => {
  const sizes: Readonly<Record<string, number>> = { long: 2100, medium: 250, other: 3, short: 3, whole: 2100 };
  const damaged = ["short", "medium", "long"];
  for (const [runId, size] of Object.entries(sizes))
    await store.appendEvents(
      Array.from({ length: size }, (_, n) =>
        newEvent({ runId, stepId: `s${n}`, eventType: "StepStarted", ...planned }),
      ),
    );
  for (const runId of damaged)
    await client.query(`DELETE FROM ${events} WHERE run_id = $1 AND run_seq = $2`, [runId, sizes[runId]]);
  const target = new MemoryStore();
  const copied: CopiedRun[] = [];
  for await (const run of copyRuns(store, storeTarget(target))) copied.push(run);
  const damageOf = (runId: string) =>
    `Event ${sizes[runId]} is missing from the log of run ${runId}. Restore the log from a backup.`;
  expect(copied).toEqual([
    { runId: "long", events: 0, damage: damageOf("long") },
    { runId: "medium", events: 0, damage: damageOf("medium") },
    { runId: "other", events: 3 },
    { runId: "short", events: 0, damage: damageOf("short") },
    { runId: "whole", events: 2100 },
  ]);
  const heads = await target.listHeads();
  expect(heads.map(({ runId, headSeq }) => [runId, headSeq])).toEqual([
    ["other", 3],
    ["whole", 2100],
  ]);
});

test.each(LOST)("a projector reports a lost %s event, marks the run and projects the others", async (_, lost) => {
  await recordEvents();
  await store.appendEvent(newEvent({ runId: "run-2", eventType: "RunStarted", ...planned }));
  await client.query(`DELETE FROM ${events} WHERE ${at(lost)}`);
  const alerts: ProjectorAlert[] = [];
  const projector = new Projector(store, { pollMs: 20, onAlert: (alert) => void alerts.push(alert) });
  onTestFinished(() => projector.stop());
  await until(() => alerts.length > 0);
  const message = `Event ${lost} is missing from the log of run ${RUN}. Restore the log from a backup. Its projection stops before the gap.`;
  expect(alerts).toEqual([{ code: "PROJECTOR_GAP_DETECTED", severity: "critical", runId: RUN, message }]);
  await until(async () => (await store.getSnapshot("run-2")) !== null);
  const shown = lost === 1 ? null : { lastEventSeq: lost - 1, stale: true };
  await until(async () => (await store.getSnapshot(RUN))?.stale === true || lost === 1);
  if (shown === null) expect(await store.getSnapshot(RUN)).toBeNull();
  else expect(await store.getSnapshot(RUN)).toMatchObject(shown);
});
