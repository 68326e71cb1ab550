/**
 * O-21: workers whose clocks disagree are killed while limits change. A witness in the database looks at every claim, in
 * the claim's own transaction: nothing ever gets a slot that a limit does not leave.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Limit, LimitTarget } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "../../packages/runledger/dist/ledger/ledger.js";
import { HistoryRecorder } from "../../packages/runledger/dist/testing/history-recorder.js";
import { interceptStore } from "../../packages/runledger/dist/testing/intercept-store.js";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import { busyWorkflows } from "./limits-workflows.mjs";

const RUNS = 80;
const KILLS = 6;
const HOUR = 3_600_000;
const SHIFTS = [0, HOUR, -HOUR];
const RATE = { starts: 10, perMs: 500 };

/** After every statement that gave a slot to somebody: what is over its limit goes on record, and who began when. */
const WITNESS = `
CREATE SCHEMA witness;
CREATE TABLE witness.over_limit (target text, running bigint, allowed integer);
CREATE TABLE witness.begins (tenant_id text, at timestamptz);
CREATE FUNCTION witness.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n JOIN old_rows o USING (run_id) WHERE n.slot AND NOT o.slot) THEN RETURN NULL; END IF;
  INSERT INTO witness.begins SELECT n.tenant_id, n.started_at FROM new_rows n JOIN old_rows o USING (run_id)
  WHERE o.started_at IS NULL AND n.started_at IS NOT NULL;
  INSERT INTO witness.over_limit
  SELECT s.scope || ' ' || s.subject, count(*), min(l.max_running) FROM runledger.run_queue q
  CROSS JOIN LATERAL (VALUES ('overall', ''), ('tenant', q.tenant_id), ('workflow', q.plan_id),
    ('project', q.tenant_id || '|' || q.project_id)) AS s (scope, subject)
  CROSS JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS l
  WHERE q.slot GROUP BY s.scope, s.subject HAVING count(*) > min(l.max_running);
  INSERT INTO witness.over_limit
  SELECT 'key ' || q.concurrency_key, count(*), 1 FROM runledger.run_queue q
  WHERE q.concurrency_key IS NOT NULL AND q.started_at IS NOT NULL
  GROUP BY q.tenant_id, q.concurrency_key HAVING count(*) > 1;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON runledger.run_queue REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION witness.look();`;

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;
let client: Client;
const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
const children = new Set<ChildProcess>();
const faults: string[] = [];
let spawned = 0;
let isOver = false;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-limits-chaos-"));
  const recording = recorder.recording("starter", (call) => call.proceed());
  ledger = new Ledger(interceptStore(await PostgresStore.open({ url: database.url }), recording), async () => {});
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(WITNESS);
});

afterAll(async () => {
  isOver = true;
  for (const child of children) child.kill("SIGKILL");
  await client.end();
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

function startWorker(): void {
  const name = `process-${spawned}`;
  const shift = SHIFTS[spawned++ % SHIFTS.length]!;
  const program = inRepository("tests/chaos/limits-process.mjs");
  const args = [program, database.url, name, join(folder, `${name}.jsonl`), String(shift)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  children.add(child);
  child.on("exit", (code) => {
    children.delete(child);
    if (code !== null) faults.push(`${name} ended with ${code}`);
    else if (!isOver) startWorker();
  });
}

const set = (target: LimitTarget, rest: Partial<Limit>): Promise<void> =>
  ledger.store.limits.setLimit({ maxRunning: null, rate: null, maxQueued: null, priority: null, ...target, ...rest });

const limitOverall = (maxRunning: number) => set({ scope: "overall", subject: "" }, { maxRunning });

async function startRuns(): Promise<void> {
  for (let n = 0; n < RUNS; n++) {
    const place = { tenantId: `tenant-${n % 4}`, projectId: n % 3 === 0 ? "small" : "large", priority: n % 2 };
    const key = n % 5 === 0 ? { concurrencyKey: `key-${n % 2}` } : {};
    await ledger.start(busyWorkflows[n % 2]!, undefined, { ...place, ...key });
  }
}

async function query<T>(text: string): Promise<T[]> {
  return (await client.query(text)).rows as T[];
}

async function left(): Promise<number> {
  return (await query<{ n: number }>("SELECT count(*)::int AS n FROM runledger.run_queue"))[0]!.n;
}

async function operations(): Promise<Operation[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

/** In no stretch of the interval more begins than the rate allows. */
function assertRate(times: readonly number[]): void {
  times.forEach((time, index) => {
    const before = times.slice(0, index + 1).filter((each) => each > time - RATE.perMs);
    expect(before.length).toBeLessThanOrEqual(RATE.starts);
  });
}

test("[O-21] never over a limit, with kill -9, clocks that disagree, and limits that change meanwhile", async () => {
  await limitOverall(6);
  await set({ scope: "tenant", subject: "*" }, { maxRunning: 3, rate: RATE });
  await set({ scope: "tenant", subject: "tenant-0" }, { maxRunning: 2, rate: RATE });
  await set({ scope: "workflow", subject: "orders" }, { maxRunning: 4 });
  await set({ scope: "project", subject: "tenant-1|small" }, { maxRunning: 1 });
  await startRuns();
  for (let i = 0; i < 3; i++) startWorker();
  for (let kill = 0; kill < KILLS && faults.length === 0; kill++) {
    const before = await left();
    for (let i = 0; i < 100 && (await left()) > before - 6; i++) await sleep(20);
    [...children][kill % children.size]?.kill("SIGKILL");
    await limitOverall(kill % 2 === 0 ? 3 : 6);
  }
  while ((await left()) > 0 && faults.length === 0) await sleep(50);
  const looked = "SELECT FROM runledger.queue_lanes WHERE due_at < 'infinity'"; // the next claim tidies up what it looks at
  await expect.poll(() => query(looked)).toEqual([]);
  isOver = true;
  for (const child of children) child.kill("SIGKILL");

  expect(faults).toEqual([]);
  expect(await query("SELECT DISTINCT * FROM witness.over_limit")).toEqual([]);
  const begins = await query<{ tenant_id: string; at: Date }>("SELECT * FROM witness.begins ORDER BY at");
  expect(begins.length).toBe(RUNS);
  for (const tenant of new Set(begins.map(({ tenant_id }) => tenant_id)))
    assertRate(begins.filter(({ tenant_id }) => tenant_id === tenant).map(({ at }) => at.getTime()));
  const recorded = [...(await operations()), ...(recorder.operations as Operation[])];
  const history = mergeHistories([{ operations: recorded }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
  console.log(`${RUNS} runs, ${spawned} workers, ${KILLS} killed`);
});
