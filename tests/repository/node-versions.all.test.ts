import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { count, type TestReport } from "../../scripts/lib/test-report.mjs";

const packages = ["packages/contracts", "packages/core", "packages/store-memory"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "runledger-node-versions-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([22, 24])("[L-01] contracts, core and the memory store pass their tests on Node %i", async (major) => {
  const report = join(folder, `${major}.json`);
  const vitest = inRepository("node_modules/vitest/vitest.mjs");
  const args = ["exec", "--yes", `--package=node@${major}`, "--", "node", vitest, "run", ...packages];
  const { stdout, stderr } = await capture("npm", args, { env: { RUNLEDGER_SUITE: "test", RUNLEDGER_REPORT: report } });
  const { node, tests } = reportIn(report, stdout + stderr);
  expect(node).toMatch(new RegExp(`^v${major}\\.`));
  expect(tests.filter(({ state }) => state === "failed")).toEqual([]);
  expect(count(tests).passed).toBeGreaterThan(0);
});

function reportIn(file: string, output: string): TestReport {
  try {
    return readJson(file) as TestReport;
  } catch {
    throw new Error(`vitest left no report:\n${output}`);
  }
}
