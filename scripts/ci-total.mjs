/** Prints the failures of `.ci/run`, and one line that counts tests and steps.   node scripts/ci-total.mjs PASSED FAILED */
import { existsSync } from "node:fs";
import { inRepository, readJson } from "./lib/repository.mjs";
import { count, failures, flaky, judge } from "./lib/test-report.mjs";

const [passedSteps = 0, failedSteps = 0] = process.argv.slice(2).map(Number);
const tests = [
  ...testsOf("test", { requireAll: false, filtered: false }),
  ...testsOf("all", { requireAll: true, filtered: false }),
];
const counts = count(tests);
const [passed, failed] = [counts.passed + passedSteps, counts.failed + failedSteps];

for (const line of [...flaky(tests), ...failures(tests)]) console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * A suite that left no report has failed as a step already.
 * @param {string} suite
 * @param {import("./lib/test-report.mjs").Rules} rules
 */
function testsOf(suite, rules) {
  const file = inRepository(`reports/${suite}.json`);
  if (!existsSync(file)) return [];
  return judge(/** @type {import("./lib/test-report.mjs").TestReport} */ (readJson(file)), rules);
}
