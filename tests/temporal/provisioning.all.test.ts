// @module-tag T-22
/** The suites on a machine without Go and without an earlier build. Each one runs in its own vitest. */
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathWithFewTools } from "@runledger/test-support/few-tools";
import { needTools } from "@runledger/test-support/requirements";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { expect, test } from "vitest";
import { cachedPath } from "../../scripts/lib/cache-folder.mjs";
import { readJson } from "../../scripts/lib/repository.mjs";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { failures, type TestReport } from "../../scripts/lib/test-report.mjs";

const LIMIT = 900_000;

/** Runs test files with this PATH and a cache that contains these folders only. Returns its tests. */
async function vitest(PATH: string, kept: readonly string[], files: readonly string[]): Promise<TestReport["tests"]> {
  const folder = freshFolder();
  const cache = join(folder, "cache");
  mkdirSync(cache);
  for (const name of kept) symlinkSync(cachedPath(name), join(cache, name));
  const report = join(folder, "report.json");
  const place = { PATH, RUNLEDGER_TEMPORAL: "", RUNLEDGER_TEST_CACHE: cache };
  const env = { ...place, RUNLEDGER_SUITE: "all", RUNLEDGER_REPORT: report, RUNLEDGER_REQUIRE_ALL: "" };
  const { code, stdout, stderr } = await capture(tool("vitest"), ["run", ...files], { env, timeoutMs: LIMIT });
  expect(existsSync(report), stdout + stderr).toBe(true);
  const { tests } = readJson(report) as TestReport;
  expect(failures(tests)).toEqual([]);
  expect(code, stdout + stderr).toBe(0);
  return tests;
}

test("Java's test server executes the runs of the conformance suite", { timeout: LIMIT }, async (context) => {
  needTools(context, "java", "mvn");
  const withoutGo = process.env["PATH"]!.split(delimiter).filter((folder) => !existsSync(join(folder, "go")));
  const files = ["tests/engine-conformance/temporal.all.test.ts", "tests/temporal/delivery.all.test.ts"];
  const tests = await vitest(withoutGo.join(delimiter), ["temporal-test-server-1.38.0"], files);
  const [left, played] = [
    tests.filter(({ state }) => state === "skipped"),
    tests.filter((each) => each.state !== "skipped"),
  ];
  expect(played.length).toBeGreaterThan(20);
  expect(new Set(left.map(({ file }) => file))).toEqual(new Set(files));
  for (const { reason } of left)
    expect(reason).toContain("Java's test server cannot list, restart or inspect executions");
});

test("without any server, the suites are reported as left out, with the reason", { timeout: LIMIT }, async () => {
  const files = ["tests/engine-conformance/engine-port.all.test.ts", "tests/temporal/delivery.all.test.ts"];
  const tests = await vitest(pathWithFewTools(join(freshFolder(), "bin")), [], files);
  expect(tests.map(({ file }) => file).sort()).toEqual(files);
  for (const { state, reason } of tests) {
    expect(state).toBe("skipped");
    expect(reason).toContain("no Temporal server: set RUNLEDGER_TEMPORAL");
  }
});
