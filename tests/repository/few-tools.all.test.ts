// @module-tag N-01
/**
 * Chosen tests where only Node, npm, git, a POSIX shell and coreutils are installed. They are those that use other tools:
 * without a tool they are left out by name, or the product does without it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { failures, type TestReport } from "../../scripts/lib/test-report.mjs";
import { pathWithFewTools } from "@runledger/test-support/few-tools";
import { freshFolder } from "@runledger/test-support/runledger-command";

const CHOSEN = [
  "packages/embedded/src/kill",
  "packages/embedded/src/process-info",
  "packages/embedded/src/refusals",
  "packages/runtime/src/engine/runners/command",
  "tests/journeys/cli-terminal",
  "tests/journeys/product-dev",
];

test("tests that need other tools are left out by name, and all others pass", { timeout: 1_800_000 }, async () => {
  const PATH = pathWithFewTools(join(freshFolder(), "bin"));
  for (const tool of ["bash", "flock", "ps", "script", "setpriv", "setsid"])
    expect(existsSync(join(PATH, tool))).toBe(false);
  const env = { PATH, RUNLEDGER_REQUIRE_ALL: "" };
  const { code, stdout } = await capture("npm", ["test", "--", ...CHOSEN], { env });
  const { tests } = readJson(inRepository("reports/partial.json")) as TestReport;
  expect(failures(tests)).toEqual([]);
  expect({ code, end: stdout.slice(-2000) }).toEqual({ code: 0, end: expect.any(String) as string });
  expect(stdout).toMatch(/^left out: .*embedded\/src\/kill\.test\.ts > .*: not installed: setpriv$/m);
  expect(stdout).toMatch(/^left out: .*cli-terminal\.test\.ts > .*: script is not installed$/m);
});
