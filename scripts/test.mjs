/**
 * Builds, runs one suite and prints the slowest files, everything left out, every failure and, for machines, the line
 * `N passed, N failed, N skipped`.
 *   node scripts/test.mjs test|all|long [vitest arguments]
 * Files that fail without a broken invariant are repeated once, by themselves, and listed as flaky if they pass then.
 * With arguments only a part runs: coverage is not judged and the suite's last report stays as it is.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftRunning, stopOrphanedServers } from "./lib/left-running.mjs";
import { isOnPath } from "./lib/on-path.mjs";
import { inRepository, readJson } from "./lib/repository.mjs";
import { run, tool } from "./lib/spawn.mjs";
import {
  count,
  failures,
  filesToRepeat,
  flaky,
  judge,
  leftOut,
  merged,
  slowest,
  summaryLine,
  withSecondAttempt,
} from "./lib/test-report.mjs";

/**
 * @typedef {import("./lib/test-report.mjs").TestRecord} TestRecord
 * @typedef {import("./lib/test-report.mjs").TestReport} TestReport
 */

const [suite = "test", ...rest] = process.argv.slice(2);
const report = inRepository(rest.length === 0 ? `reports/${suite}.json` : "reports/partial.json");
/** Short, because paths of sockets are; open, because a database may run as another user. */
const temporary = mkdtempSync(join(tmpdir(), "rl-"));
chmodSync(temporary, 0o755);
const rules = {
  requireAll: process.env["RUNLEDGER_REQUIRE_ALL"] === "1",
  filtered: rest.some((argument) => /^(-t|--testNamePattern|--tags-?[fF]ilter)\b/.test(argument)),
};

rmSync(report, { force: true });
const built = await run(tool("tsc"), ["-b", "tsconfig.build.json"]);
const code = built === 0 ? await runVitest() : built;
if (!isOnPath("setpriv")) stopOrphanedServers(temporary);
const tests = [...outcome(code), ...(await leftRunning(temporary)).map(leftover)];
rmSync(temporary, { recursive: true, force: true });
const left = leftOut(tests);
const counts = count(tests);

for (const line of [...slowFiles(), ...left, ...flaky(tests), ...failures(tests)]) console.log(line);
console.log(summaryLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;

/** The tests that cover the core run by themselves, with coverage: counting lines would slow every other test down. */
async function runVitest() {
  if (suite !== "test" || rest.length > 0) return attempt(rest, report);
  const parts = ["others", "core"].map((part) => join(temporary, `${part}.json`));
  const [others = "", core = ""] = parts;
  const codes = [await attempt(["--project=!core"], others), await vitest(["--project=core", "--coverage"], core)];
  const written = parts.filter((part) => existsSync(part));
  if (written.length === parts.length) {
    const whole = merged(written.map((part) => /** @type {TestReport} */ (readJson(part))));
    writeFileSync(report, JSON.stringify(whole, null, 2));
  }
  return codes.find((ended) => ended !== 0) ?? 0;
}

function slowFiles() {
  return existsSync(report) ? slowest(/** @type {TestReport} */ (readJson(report)).files) : [];
}

/** Runs vitest, then repeats files that failed. @param {readonly string[]} args @param {string} file */
async function attempt(args, file) {
  const ended = await vitest(args, file);
  if (ended === 0 || rules.filtered || !existsSync(file)) return ended;
  const first = /** @type {TestReport} */ (readJson(file));
  const files = filesToRepeat(first);
  const again = join(temporary, "again.json");
  if (files.length > 0) await vitest(files, again);
  if (!existsSync(again)) return ended;
  const whole = withSecondAttempt(first, /** @type {TestReport} */ (readJson(again)));
  writeFileSync(file, JSON.stringify(whole, null, 2));
  return count(whole.tests).failed === 0 ? 0 : ended;
}

/** @param {readonly string[]} args @param {string} file */
function vitest(args, file) {
  const env = { RUNLEDGER_SUITE: suite, TMPDIR: temporary, RUNLEDGER_REPORT: file };
  return run(tool("vitest"), ["run", ...args], { env });
}

/** @param {number} exitCode @returns {TestRecord[]} */
function outcome(exitCode) {
  if (!existsSync(report)) return [outside(built === 0 ? "vitest did not finish" : "the build failed")];
  const judged = judge(/** @type {TestReport} */ (readJson(report)), rules);
  const unexplained = exitCode !== 0 && count(judged).failed === 0;
  return unexplained
    ? [...judged, outside("vitest failed outside the tests: coverage below its gate, or no test")]
    : judged;
}

/** @param {string} found @returns {TestRecord} */
function leftover(found) {
  return outside(`still running after the tests: ${found}`);
}

/** @param {string} title @returns {TestRecord} */
function outside(title) {
  console.error(title);
  return { file: suite, title, state: "failed", durationMs: 0 };
}
