// @module-tag O-05
/** Commands that walk so many runs that they print progress and can be stopped. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runledger } from "@runledger/test-support/hosted-commands";
import { startRunledger } from "@runledger/test-support/runledger-command";
import { storeOfRuns, type StoreOfRuns } from "./store-of-runs.js";

const RUNS = 2000;
let runs: StoreOfRuns;

beforeAll(async () => {
  runs = await storeOfRuns(RUNS);
});
afterAll(() => runs.drop());

const here = { cwd: process.cwd() };
const store = (...args: readonly string[]) => ["store", ...args, "--store", runs.url];

test("store verify prints its progress on standard error, and results on standard output", async () => {
  const fine = await runledger(here, ...store("verify"));
  expect(fine).toMatchObject({ code: 0 });
  expect(fine.stdout).toContain(`${RUNS} runs verified, no differences.`);
  expect(fine.stdout).not.toContain(", at run-");
  expect(fine.stderr).toMatch(/runs verified, at run-/);
});

test("Ctrl-C stops store rebuild between two runs, and --after continues from there", async () => {
  const rebuilding = startRunledger(here, ...store("rebuild"));
  await rebuilding.says(/runs rebuilt, at run-\d+/);
  rebuilding.kill("SIGINT");
  expect(await rebuilding.ended).toMatchObject({ code: 130 });
  const [, done, after] = /Stopped after (\d+) runs\. No run is half done\.\n.*--after (run-\d+)/.exec(
    rebuilding.output,
  )!;
  expect(Number(done)).toBeLessThan(RUNS);
  const rest = await runledger(here, ...store("rebuild", "--after", after!));
  expect(rest.stdout).toContain(`${RUNS - Number(done)} runs rebuilt.`);
  const { rows } = await runs.sql.query<{ runs: number }>("SELECT count(*)::int AS runs FROM runledger.run_snapshots");
  expect(rows).toEqual([{ runs: RUNS }]);
  expect(await runledger(here, ...store("verify"))).toMatchObject({ code: 0 });
});
