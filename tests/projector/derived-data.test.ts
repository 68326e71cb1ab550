// @module-tag O-05
/** Verifies, rebuilds and time-travels derived data on a real database while runs continue. */
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { checkHistory, recordHistory, snapshotReplay } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow } from "runledger";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { catchUp } from "@runledger/runtime/projector/catch-up";
import { rebuild } from "@runledger/runtime/projector/rebuild";
import { stateAt } from "@runledger/runtime/projector/state-at";
import { verify, type VerifiedRun } from "@runledger/runtime/projector/verify";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeAll(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await store.close();
  await database.drop();
});
afterEach(() => database.empty());

const event = (runId: string, eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", planId: "p", ...(stepId === undefined ? {} : { stepId }) });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const differences = (runs: readonly VerifiedRun[]): string[] =>
  runs.flatMap((run) => run.differences.map((difference) => `${run.runId}: ${difference}`));

const broken = workflow("broken", { version: "1.0.0" }, (w) => {
  const items = w.forEach("each", { items: () => Array.from({ length: 150 }, (_, n) => n) }, (v) =>
    v.step("one", ({ item }) => item * 2),
  );
  w.step("load", { after: [items] }, () => {
    throw new Error("the warehouse is closed");
  });
});
const waiting = workflow("waiting", { version: "1.0.0" }, (w) => {
  const before = w.forEach("each", { items: () => Array.from({ length: 120 }, (_, n) => n) }, (v) =>
    v.step("one", ({ item }) => item),
  );
  w.waitForSignal("go", { after: [before] });
});

/** A failed run, a waiting run with a checkpoint, a run recorded by another engine, and a run that just started. */
async function someRuns(): Promise<{ failed: string; waits: string; queued: string }> {
  const ledger = new Ledger(store, async () => {});
  const worker = await ledger.worker({ workflows: [broken, waiting] });
  const failed = await ledger.start(broken, { labels: { team: "core" }, tenantId: "acme" });
  const waits = await ledger.start(waiting, { priority: 3, concurrencyKey: "one" });
  await expect(failed.result()).rejects.toThrow("the warehouse is closed");
  while (!(await waits.snapshot()).steps.some(({ stepId }) => stepId === "go")) await new Promise(setImmediate);
  await worker.stop();
  const queued = await ledger.start(waiting);
  await store.appendEvents(Array.from({ length: 700 }, (_, n) => event("foreign", "StepStarted", `s${n}`)));
  return { failed: failed.id, waits: waits.id, queued: queued.id };
}

test("verify: snapshots, steps, keyframes, checkpoints, index and queue equal a fresh fold", async () => {
  const { failed, waits, queued } = await someRuns();
  expect(await store.checkpoints.loadCheckpoint(waits)).not.toBeNull();
  const runs = await collect(verify(store));
  expect(differences(runs)).toEqual([]);
  expect(new Set(runs.map(({ runId }) => runId))).toEqual(new Set([failed, waits, queued, "foreign"]));
  expect(await store.keyframes.listKeyframes("foreign")).not.toEqual([]);
  expect(await store.derived.wrongCounts()).toBe(0);
  const again = await collect(verify(store, { runId: failed }));
  expect(again).toEqual(runs.filter(({ runId }) => runId === failed)); // the checksum depends on the run alone
});

/** Each planted fault and the difference that verify reports. */
const planted: Record<string, { readonly sql: string; readonly reported: RegExp }> = {
  "a header's status": {
    sql: `UPDATE runledger.run_snapshots SET header = jsonb_set(header, '{status}', '"RUNNING"') WHERE run_id = $1`,
    reported: /header: status/,
  },
  "a step's row": {
    sql: `UPDATE runledger.run_steps SET step = jsonb_set(step, '{status}', '"SUCCESS"') WHERE run_id = $1 AND step_id = 'load'`,
    reported: /step load: its row differs from the log/,
  },
  "a step that is gone": {
    sql: "DELETE FROM runledger.run_steps WHERE run_id = $1 AND step_id = 'load'",
    reported: /step load: its row is missing/,
  },
  "a step that never was": {
    sql: `INSERT INTO runledger.run_steps VALUES ($1, 9999, 'ghost', '{"stepId": "ghost", "ordinal": 9999}')`,
    reported: /step ghost/,
  },
  "a projection that is gone": {
    sql: "DELETE FROM runledger.run_snapshots WHERE run_id = $1",
    reported: /no projection/,
  },
  "a projection that stays behind": {
    sql: `UPDATE runledger.run_snapshots SET last_event_seq = 2, header = jsonb_set(header, '{lastEventSeq}', '2') WHERE run_id = $1`,
    reported: /the projection is at seq 2, the log at \d+/,
  },
  "an index row's column": {
    sql: "UPDATE runledger.run_index SET error_text = 'fine' WHERE run_id = $1",
    reported: /run index: error_text/,
  },
  "an index row in another tenant": {
    sql: "UPDATE runledger.run_index SET tenant_id = 'mallory' WHERE run_id = $1",
    reported: /run index: tenant_id/,
  },
  "an index row that is gone": {
    sql: "DELETE FROM runledger.run_index WHERE run_id = $1",
    reported: /run index: missing/,
  },
  "a label that cannot be found": {
    sql: "DELETE FROM runledger.run_index_labels WHERE run_id = $1",
    reported: /run index: posted/,
  },
  "a queue row of a finished run": {
    sql: `INSERT INTO runledger.run_queue (run_id, plan_id, plan_version, log_format, priority, available_at, tenant_id, project_id)
          VALUES ($1, 'broken', '1.0.0', 1, 0, now(), 'acme', 'default')`,
    reported: /queue: the run is finished/,
  },
};

test("verify finds planted faults, and rebuild repairs them", async () => {
  const { failed } = await someRuns();
  await catchUp(store);
  for (const [what, { sql: fault, reported }] of Object.entries(planted)) {
    await sql.query(fault, [failed]);
    expect(differences(await collect(verify(store, { runId: failed }))).join(), what).toMatch(reported);
    if (what.startsWith("a queue row")) await sql.query("DELETE FROM runledger.run_queue WHERE run_id = $1", [failed]);
    await collect(rebuild(store, { runId: failed }));
    expect(differences(await collect(verify(store, { runId: failed }))), what).toEqual([]);
  }
});

test("verify finds wrong queue rows, checkpoints, keyframes, counters, and rows without a log", async () => {
  const { waits, queued } = await someRuns();
  await catchUp(store);
  await sql.query("UPDATE runledger.run_queue SET priority = 99 WHERE run_id = $1", [waits]);
  await sql.query("DELETE FROM runledger.run_queue WHERE run_id = $1", [queued]);
  await sql.query("UPDATE runledger.checkpoints SET data = replace(data, 'RUNNING', 'PAUSED') WHERE run_id = $1", [
    waits,
  ]);
  await sql.query("UPDATE runledger.run_keyframes SET steps = steps - 0 WHERE run_id = 'foreign'");
  await sql.query("UPDATE runledger.run_counts SET runs = runs + 1 WHERE level = 'all' AND status = 'FAILED'");
  await sql.query("INSERT INTO runledger.run_steps VALUES ('ghost', 0, 's', '{}')");
  const said = differences(await collect(verify(store))).join("\n");
  expect(said).toContain(`${waits}: queue: priority`);
  expect(said).toContain(`${queued}: queue: the row is missing`);
  expect(said).toContain(`${waits}: checkpoint: wrong format or checksum`);
  expect(said).toMatch(/foreign: keyframe \d+: step s0: its row is missing/);
  expect(said).toContain("ghost: no log");
  expect(await store.derived.wrongCounts()).toBe(1);
  const rebuilt = await collect(rebuild(store));
  expect(rebuilt.filter(({ orphan }) => orphan).map(({ runId }) => runId)).toEqual(["ghost"]);
  expect(await store.derived.wrongCounts()).toBe(0);
  const left = differences(await collect(verify(store)));
  expect(
    left.every((line) => /queue|checkpoint/.test(line)),
    left.join(),
  ).toBe(true); // those are not projections
});

test("a rebuild during appends and projection loses nothing and leaves no stale cache", async () => {
  const recorded = recordHistory(store);
  const ledger = new Ledger(store, async () => {});
  const projector = ledger.projector({ pollMs: 5 });
  const runIds = Array.from({ length: 12 }, (_, n) => `run-${n}`);
  const write = (round: number) =>
    Promise.all(
      runIds.map((runId) =>
        recorded.store.appendEvents([
          event(runId, "StepStarted", `s${round}`),
          event(runId, "StepCompleted", `s${round}`),
        ]),
      ),
    );
  for (let round = 0; round < 10; round++) await write(round);
  // A projector that has read the wrong row must not write it back after the rebuild.
  await sql.query(`UPDATE runledger.run_snapshots SET header = header || '{"failedSteps": 77}'`);
  await projector.stop();
  const another = ledger.projector({ pollMs: 5 });
  for (let round = 10; round < 20; round++) await write(round);
  const enough = new AbortController();
  const writing = (async () => {
    for (let round = 20; !enough.signal.aborted; round++) await write(round);
  })();
  expect((await collect(rebuild(store))).length).toBe(runIds.length);
  enough.abort();
  await writing;
  await another.stop();
  expect(differences(await collect(verify(store)))).toEqual([]);
  expect(checkHistory(await recorded.finish(), { replay: snapshotReplay })).toMatchObject({ ok: true });
});

test("verify and rebuild can be interrupted and continue after the last run", async () => {
  await store.appendEvents(
    Array.from({ length: 30 }, (_, n) => event(`run-${String(n).padStart(2, "0")}`, "RunStarted")),
  );
  for (const walk of [verify, rebuild]) {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { runId } of walk(store, { signal: stop.signal })) if (seen.push(runId) === 10) stop.abort();
    expect(seen.length).toBe(10);
    for await (const { runId } of walk(store, { after: seen.at(-1)! })) seen.push(runId);
    expect([seen.length, new Set(seen).size]).toEqual([30, 30]);
  }
});

test("a snapshot behind its log is marked stale; projectSnapshot is always current", { tags: ["O-06"] }, async () => {
  await store.appendEvent(event("r", "RunStarted"));
  expect(await store.getSnapshot("r")).toBeNull();
  await catchUp(store);
  expect((await store.getSnapshot("r"))?.stale).toBeUndefined();
  await store.appendEvent(event("r", "RunCompleted"));
  expect(await store.getSnapshot("r")).toMatchObject({ status: "RUNNING", stale: true });
  expect(await store.projectSnapshot("r")).toMatchObject({ status: "COMPLETED", lastEventSeq: 2 });
});

test("the state at any seq is folded from the nearest keyframe", { tags: ["O-06"] }, async () => {
  const events = Array.from({ length: 2600 }, (_, n) =>
    newEvent({
      runId: "r",
      eventType: n % 2 === 0 ? "StepStarted" : "StepCompleted",
      stepId: `s${Math.floor(n / 2) % 400}`,
      logicalAttemptId: String(Math.floor(n / 800) + 1),
      planVersion: "1",
      eventData: { patch: { n } },
    }),
  );
  for (let from = 0; from < events.length; from += 100) {
    await store.appendEvents(events.slice(from, from + 100));
    await catchUp(store);
  }
  const keyframes = await store.keyframes.listKeyframes("r");
  expect(keyframes.length).toBeGreaterThan(2);
  const log = await collect(store.streamEvents("r"));
  for (const seq of [1, 499, 500, 501, 1000, 1234, 2599, 2600, ...keyframes]) {
    const expected = evolveAll(initialState("r"), log.slice(0, seq));
    const state = await stateAt(store, "r", seq);
    expect(toRunHeader(state)).toEqual(toRunHeader(expected));
    expect(state.steps.rows()).toEqual(expected.steps.rows());
  }
  // No more events than lie between two keyframes are read for it.
  let read = 0;
  const counting = {
    ...bound(store),
    streamEvents: (runId: string, options: object) => counted(store.streamEvents(runId, options), () => read++),
  };
  await stateAt(counting as unknown as PostgresStore, "r", 2599);
  expect(read).toBeLessThanOrEqual(700);
  await expect(stateAt(store, "absent", 1)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});

const bound = ({ keyframes }: PostgresStore) => ({ keyframes });

async function* counted<T>(items: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    count();
    yield item;
  }
}
