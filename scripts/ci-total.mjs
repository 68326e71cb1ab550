/** Ends `.ci/run` with one line that counts tests and steps alike.   node scripts/ci-total.mjs PASSED FAILED */
import { existsSync } from "node:fs";
import { inRepository, readJson } from "./lib/repository.mjs";
import { count, judge } from "./lib/test-report.mjs";

const [passedSteps = 0, failedSteps = 0] = process.argv.slice(2).map(Number);
const counts = [
  countsOf("test", { requireAll: false, filtered: false }),
  countsOf("all", { requireAll: true, filtered: false }),
];
const passed = counts.reduce((sum, suite) => sum + suite.passed, passedSteps);
const failed = counts.reduce((sum, suite) => sum + suite.failed, failedSteps);

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** A suite that left no report has failed as a step already. @param {string} suite @param {import("./lib/test-report.mjs").Rules} rules */
function countsOf(suite, rules) {
  const file = inRepository(`reports/${suite}.json`);
  if (!existsSync(file)) return { passed: 0, failed: 0 };
  return count(judge(/** @type {import("./lib/test-report.mjs").TestReport} */ (readJson(file)), rules));
}
