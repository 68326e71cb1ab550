// @module-tag D-32
/**
 * Four processes backfill the same partitions at the same time, and some die with -9 while they start runs. Each partition
 * is started once, no more runs are open than the limit allows, and a repeated backfill completes the rest.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type BackfilledPartition, type Ledger } from "runledger";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { loadShops, shops } from "./partition-workflow.mjs";

const LIMIT = 3;

/** Records every moment at which more runs with the key are open than the limit allows. */
const WITNESS = `
CREATE SCHEMA witness;
CREATE TABLE witness.open_runs (open bigint);
CREATE FUNCTION witness.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO witness.open_runs SELECT count(*) FROM runledger.run_queue
  WHERE concurrency_key = 'partitions:load-shops' AND started_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER UPDATE ON runledger.run_queue FOR EACH STATEMENT EXECUTE FUNCTION witness.look();`;

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;
let client: Client;
const children = new Set<ChildProcess>();
const reports: BackfilledPartition[][] = [];
let deaths = 0;
let spawned = 0;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-partition-chaos-"));
  ledger = await connect(database.url);
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(WITNESS);
});

afterAll(async () => {
  killAll();
  await client.end();
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

interface Fate {
  readonly only: "missing" | "failed";
  readonly broken: boolean;
  readonly point?: "sent" | "answered";
  readonly at?: number;
}

/** Resolves once the process is ready to backfill. A process that kills itself is replaced by one that does not. */
function startProcess({ only, broken, point, at = 0 }: Fate): Promise<ChildProcess> {
  const name = `process-${spawned++}`;
  const args = [database.url, name, join(folder, `${name}.jsonl`), only, point ?? "", String(at)];
  const env = { ...process.env, BROKEN: broken ? "1" : "0" };
  const child = fork(inRepository("tests/chaos/partition-process.mjs"), args, { env, execArgv: [] });
  children.add(child);
  child.once("exit", () => {
    children.delete(child);
    if (point === undefined) return;
    deaths++;
    void startProcess({ only, broken }).then((next) => next.send("go"));
  });
  return new Promise((resolve) => {
    child.once("message", () => {
      child.once("message", (items: BackfilledPartition[]) => reports.push(items));
      resolve(child);
    });
  });
}

/** All processes backfill at the same time. */
async function backfillFromAll(fates: readonly Fate[]): Promise<void> {
  const expected = reports.length + fates.length;
  const ready = await Promise.all(fates.map(startProcess));
  for (const child of ready) child.send("go");
  await until(() => reports.length === expected);
  await until(async () => !/missing|queued|running/.test(await states()));
}

async function states(): Promise<string> {
  return (await ledger.partitions.list(loadShops)).items.map(({ state }) => state).join(" ");
}

/** The ids of all runs by partition. */
async function runsByPartition(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { runId } of await ledger.store.listHeads({ limit: 1000 })) {
    const key = (await ledger.store.projectSnapshot(runId)).labels!["partition"]!;
    found.set(key, [...(found.get(key) ?? []), runId]);
  }
  return found;
}

async function operations(): Promise<Operation[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

test("backfills of several processes start each partition once within the limit, across kill -9", async () => {
  const missing = { only: "missing", broken: true } as const;
  await backfillFromAll([
    { ...missing, point: "sent", at: 7 },
    { ...missing, point: "answered", at: 12 },
    missing,
    missing,
  ]);
  expect(deaths).toBe(2);
  const once = await runsByPartition();
  expect(shops.map((shop) => once.get(shop)?.length)).toEqual(shops.map(() => 1));
  const failed = shops.filter((shop) => shop.endsWith("0"));
  expect((await states()).split(" ").filter((state) => state === "failed")).toHaveLength(failed.length);

  killAll();
  await until(() => children.size === 0);
  const again = { only: "failed", broken: false } as const;
  await backfillFromAll([again, again, { ...again, point: "sent", at: 2 }]);
  killAll();
  expect(new Set((await states()).split(" "))).toEqual(new Set(["succeeded"]));
  const all = await runsByPartition();
  expect(shops.map((shop) => all.get(shop)!.length)).toEqual(shops.map((shop) => (failed.includes(shop) ? 2 : 1)));
  const started = reports.flat().filter((item) => item.started);
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(started.length); // no run has two starters

  const { rows } = await client.query<{ most: string }>("SELECT max(open) AS most FROM witness.open_runs");
  expect(Number(rows[0]!.most)).toBeLessThanOrEqual(LIMIT);
  expect(Number(rows[0]!.most)).toBeGreaterThan(1);
  const history = mergeHistories([{ operations: await operations() }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
  console.log(`${spawned} processes, ${deaths} killed, at most ${rows[0]!.most} runs open`);
});
