/**
 * Builds, runs one suite and ends with what machines read: `N passed, N failed, N skipped`.
 *   node scripts/test.mjs test|all|long [vitest arguments]
 * With arguments only a part runs: coverage is not judged and the suite's last report stays as it is.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftRunning } from "./lib/left-running.mjs";
import { inRepository, readJson } from "./lib/repository.mjs";
import { run, tool } from "./lib/spawn.mjs";
import { count, failures, judge, leftOut, summaryLine } from "./lib/test-report.mjs";

/**
 * @typedef {import("./lib/test-report.mjs").TestRecord} TestRecord
 * @typedef {import("./lib/test-report.mjs").TestReport} TestReport
 */

const [suite = "test", ...rest] = process.argv.slice(2);
/** The core's own tests, and the contract that its parts for stores keep. */
const COVERING = ["packages/core", "packages/store-memory", "packages/store-conformance/src/memory.test.ts"];
const report = inRepository(rest.length === 0 ? `reports/${suite}.json` : "reports/partial.json");
/** Short, because paths of sockets are; open, because a database may run as another user. */
const temporary = mkdtempSync(join(tmpdir(), "rl-"));
chmodSync(temporary, 0o755);
const rules = {
  requireAll: process.env["RUNLEDGER_REQUIRE_ALL"] === "1",
  filtered: rest.some((argument) => /^(-t|--testNamePattern)\b/.test(argument)),
};

rmSync(report, { force: true });
const built = await run(tool("tsc"), ["-b", "tsconfig.build.json"]);
const code = built === 0 ? await runVitest() : built;
const tests = [...outcome(code), ...(await leftRunning(temporary)).map(leftover)];
rmSync(temporary, { recursive: true, force: true });
const left = leftOut(tests);
const counts = count(tests);

for (const line of [...left, ...failures(tests)]) console.log(line);
console.log(summaryLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;

/** Coverage is judged by what covers the core, in a run of its own: to count lines slows every other test down. */
async function runVitest() {
  const ended = await vitest(rest, { RUNLEDGER_REPORT: report });
  if (suite !== "test" || rest.length > 0) return ended;
  return (await vitest(["--coverage", "--reporter=dot", ...COVERING])) || ended;
}

/** @param {readonly string[]} args @param {Record<string, string>} [env] */
function vitest(args, env = {}) {
  return run(tool("vitest"), ["run", ...args], { env: { RUNLEDGER_SUITE: suite, TMPDIR: temporary, ...env } });
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
