// @module-tag O-05
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runledger } from "@runledger/test-support/hosted-commands";
import { storeOfRuns, type StoreOfRuns } from "./store-of-runs.js";

const RUNS = 50;
let runs: StoreOfRuns;

beforeAll(async () => {
  runs = await storeOfRuns(RUNS);
});
afterAll(() => runs.drop());

const here = { cwd: process.cwd() };
const store = (...args: readonly string[]) => ["store", ...args, "--store", runs.url];

test("store verify prints a checksum per run and finds a planted difference, which store rebuild fixes", async () => {
  const fine = await runledger(here, ...store("verify"));
  expect(fine).toMatchObject({ code: 0 });
  expect(fine.stdout).toMatch(/^run-0000 {3}seq 2 {3}[0-9a-f]{64} {3}ok$/m);
  expect(fine.stdout).toContain(`${RUNS} runs verified, no differences.`);
  await runs.sql.query(
    `UPDATE runledger.run_snapshots SET header = header || '{"failedSteps": 1}' WHERE run_id = 'run-0012'`,
  );
  const planted = await runledger(here, ...store("verify", "--json"));
  expect(planted).toMatchObject({ code: 1 });
  const lines = planted.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ differences }) => Array.isArray(differences) && differences.length > 0)).toMatchObject([
    { runId: "run-0012", differences: ["header: failedSteps differs from the log"] },
  ]);
  expect(lines.at(-1)).toEqual({ runs: RUNS, different: 1, damaged: 0, wrongCounts: 0 });
  expect(await runledger(here, ...store("rebuild", "--run", "run-0012"))).toMatchObject({ code: 0 });
  expect(await runledger(here, ...store("verify", "--run", "run-0012"))).toMatchObject({ code: 0 });
});

test(
  "store verify offers no rebuild for a damaged log, and store rebuild leaves it",
  { tags: ["R-03", "R-11"] },
  async () => {
    await runs.sql.query("DELETE FROM runledger.run_events WHERE run_id = 'run-0007' AND run_seq = 2");
    const damaged = await runledger(here, ...store("verify", "--run", "run-0007"));
    expect(damaged).toMatchObject({ code: 1 });
    expect(damaged.stdout).toMatch(/log damaged\n {2}log: event 2 is missing/);
    expect(damaged.stdout).toContain("Restore them from a backup.");
    expect(damaged.stdout + damaged.stderr).not.toContain("rebuild");
    const rebuilt = await runledger(here, ...store("rebuild", "--run", "run-0007", "--json"));
    expect(JSON.parse(rebuilt.stdout)).toEqual({ runs: 1, orphans: 0, damaged: 1 });
    const { rows } = await runs.sql.query(
      "SELECT last_event_seq::int FROM runledger.run_snapshots WHERE run_id = 'run-0007'",
    );
    expect(rows).toEqual([{ last_event_seq: 2 }]);
  },
);

test("store export names a damaged run, copies the others and exits with 1", { tags: ["R-03"] }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-damaged-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  await runs.sql.query("DELETE FROM runledger.run_events WHERE run_id = 'run-0008' AND run_seq = 2");
  const exported = await runledger(here, ...store("export", "--to", join(folder, "copy"), "--json"));
  expect(exported).toMatchObject({ code: 1 });
  const lines = exported.stdout.trim().split("\n");
  const printed = lines.map((line) => JSON.parse(line) as { readonly damage?: string });
  const left = printed.filter((run) => run.damage !== undefined);
  const damage = "Event 2 is missing from the log of run run-0008. Restore the log from a backup.";
  expect(left).toContainEqual({ runId: "run-0008", events: 0, damage });
  expect(JSON.parse(lines.at(-1)!)).toEqual({
    runs: RUNS - left.length,
    events: 2 * (RUNS - left.length),
    damaged: left.length,
  });
});

test("store verify tells a changed event from changed derived data", { tags: ["R-03"] }, async () => {
  await runs.sql.query(
    `UPDATE runledger.run_events SET event_data = '{"a":1}' WHERE run_id = 'run-0009' AND run_seq = 2`,
  );
  const damaged = await runledger(here, ...store("verify", "--run", "run-0009"));
  expect(damaged).toMatchObject({ code: 1 });
  expect(damaged.stdout).toMatch(/log damaged\n {2}log: event 2 was changed after it was stored/);
  expect(damaged.stdout + damaged.stderr).not.toContain("rebuild");
  const rebuilt = await runledger(here, ...store("rebuild", "--run", "run-0009", "--json"));
  expect(JSON.parse(rebuilt.stdout)).toEqual({ runs: 1, orphans: 0, damaged: 1 });
});
