// @module-tag O-21
/**
 * Kills workers whose clocks disagree while limits change. A trigger in the database checks every claim inside the claim's
 * transaction: no run ever gets a slot beyond a limit.
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
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { busyWorkflows } from "./limits-workflows.mjs";

const RUNS = 80;
const KILLS = 6;
const HOUR = 3_600_000;
const SHIFTS = [0, HOUR, -HOUR];
const RATE = { starts: 10, perMs: 500 };

/** After every statement that assigns a slot: records violations of limits, and which run started when. */
const WITNESS = `
CREATE SCHEMA witness;
CREATE TABLE witness.over_limit (target text, running bigint, allowed integer);
CREATE TABLE witness.starts (tenant_id text, at timestamptz);
CREATE FUNCTION witness.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n JOIN old_rows o USING (run_id) WHERE n.slot AND NOT o.slot) THEN RETURN NULL; END IF;
  INSERT INTO witness.starts SELECT n.tenant_id, n.started_at FROM new_rows n JOIN old_rows o USING (run_id)
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
    await ledger.start(busyWorkflows[n % 2]!, { ...place, ...key });
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

/** No interval contains more starts than the rate allows. */
function assertRate(times: readonly number[]): void {
  times.forEach((time, index) => {
    const before = times.slice(0, index + 1).filter((each) => each > time - RATE.perMs);
    expect(before.length).toBeLessThanOrEqual(RATE.starts);
  });
}

test("no limit is exceeded under kill -9, clock skew and changing limits", async () => {
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
  const looked = "SELECT FROM runledger.queue_lanes WHERE due_at < 'infinity'"; // the next claim cleans up
  await expect.poll(() => query(looked)).toEqual([]);
  isOver = true;
  for (const child of children) child.kill("SIGKILL");

  expect(faults).toEqual([]);
  expect(await query("SELECT DISTINCT * FROM witness.over_limit")).toEqual([]);
  const starts = await query<{ tenant_id: string; at: Date }>("SELECT * FROM witness.starts ORDER BY at");
  expect(starts.length).toBe(RUNS);
  for (const tenant of new Set(starts.map(({ tenant_id }) => tenant_id)))
    assertRate(starts.filter(({ tenant_id }) => tenant_id === tenant).map(({ at }) => at.getTime()));
  const recorded = [...(await operations()), ...(recorder.operations as Operation[])];
  const history = mergeHistories([{ operations: recorded }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
  console.log(`${RUNS} runs, ${spawned} workers, ${KILLS} killed`);
});
