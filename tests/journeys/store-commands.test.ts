import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import { runledger, startRunledger } from "../support/runledger-command.js";

const RUNS = 2000;
let database: FreshDatabase;
let sql: Client;

beforeAll(async () => {
  database = await freshDatabase();
  const store = await PostgresStore.open({ url: database.url });
  const event = (n: number, eventType: string) =>
    newEvent({ runId: `run-${String(n).padStart(4, "0")}`, eventType, planVersion: "1", planId: "p" });
  const runs = Array.from({ length: RUNS }, (_, n) => n);
  await store.appendEvents(runs.flatMap((n) => [event(n, "RunStarted"), event(n, "RunCompleted")]));
  await store.close();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const here = { cwd: process.cwd() };
const store = (...args: readonly string[]) => ["store", ...args, "--store", database.url];

test("[O-05] store verify prints a checksum per run, finds a planted difference, and store rebuild mends it", async () => {
  const fine = await runledger(here, ...store("verify"));
  expect(fine).toMatchObject({ code: 0 });
  expect(fine.stdout).toMatch(/^run-0000 {3}seq 2 {3}[0-9a-f]{64} {3}ok$/m);
  expect(fine.stdout).toContain(`${RUNS} runs verified, all as the log says.`);
  expect(fine.stderr).toMatch(/runs verified, at run-/); // progress, where the results are not
  await sql.query(
    `UPDATE runledger.run_snapshots SET header = header || '{"failedSteps": 1}' WHERE run_id = 'run-1234'`,
  );
  const planted = await runledger(here, ...store("verify", "--json"));
  expect(planted).toMatchObject({ code: 1 });
  const lines = planted.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ differences }) => Array.isArray(differences) && differences.length > 0)).toMatchObject([
    { runId: "run-1234", differences: ["header: failedSteps is not what the log says"] },
  ]);
  expect(lines.at(-1)).toEqual({ runs: RUNS, different: 1, wrongCounts: 0 });
  expect(await runledger(here, ...store("rebuild", "--run", "run-1234"))).toMatchObject({ code: 0 });
  expect(await runledger(here, ...store("verify", "--run", "run-1234"))).toMatchObject({ code: 0 });
});

test("[O-05] Ctrl-C stops store rebuild between two runs, and it goes on from there", async () => {
  const rebuilding = startRunledger(here, ...store("rebuild"));
  await rebuilding.says(/runs rebuilt, at run-\d+/);
  rebuilding.kill("SIGINT");
  expect(await rebuilding.ended).toMatchObject({ code: 130 });
  const [, done, after] = /Stopped after (\d+) runs; nothing is half done\.\n.*--after (run-\d+)/.exec(
    rebuilding.output,
  )!;
  expect(Number(done)).toBeLessThan(RUNS);
  const rest = await runledger(here, ...store("rebuild", "--after", after!));
  expect(rest.stdout).toContain(`${RUNS - Number(done)} runs rebuilt.`);
  const { rows } = await sql.query<{ runs: number }>("SELECT count(*)::int AS runs FROM runledger.run_snapshots");
  expect(rows).toEqual([{ runs: RUNS }]);
  expect(await runledger(here, ...store("verify"))).toMatchObject({ code: 0 });
});
