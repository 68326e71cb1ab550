/**
 * `npm run acceptance`: holds tests/acceptance.json against the last reports of `npm test`, `test:all` and `test:long`.
 *   node scripts/acceptance.mjs [acceptance file] [folder of reports]
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { verdict } from "./lib/acceptance.mjs";
import { inRepository, readJson } from "./lib/repository.mjs";

/**
 * @typedef {import("./lib/acceptance.mjs").Promised} Promised
 * @typedef {import("./lib/test-report.mjs").TestReport} TestReport
 */

const [file = inRepository("tests/acceptance.json"), folder = inRepository("reports")] = process.argv.slice(2);
const promised = /** @type {Promised[]} */ (readJson(file));
const reports = ["test", "all", "long"].flatMap(lastReport);
const tests = reports.flatMap((report) => report.tests);
const { missing, ready, problems } = verdict(promised, tests);

for (const { id, text } of missing) console.log(`no passing test: ${id} ${text.slice(0, 90)}`);
if (ready.length > 0) console.log(`open, but passing: ${ready.join(", ")}`);
for (const problem of problems) console.error(problem);
console.log(
  `${promised.length - missing.length} of ${promised.length} have a passing test, ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @param {string} suite @returns {TestReport[]} */
function lastReport(suite) {
  const path = join(folder, `${suite}.json`);
  if (!existsSync(path)) return [];
  const report = /** @type {TestReport} */ (readJson(path));
  console.log(`read: ${suite}, ${report.tests.length} tests, ${report.startedAt}, Node ${report.node}`);
  return [report];
}
