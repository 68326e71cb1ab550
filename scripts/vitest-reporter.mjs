import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { root } from "./lib/repository.mjs";

/**
 * @typedef {import("vitest/node").TestModule} TestModule
 * @typedef {import("vitest/node").TestSuite} TestSuite
 * @typedef {import("./lib/test-report.mjs").TestRecord} TestRecord
 * @typedef {import("./lib/test-report.mjs").TestReport} TestReport
 */

/**
 * Writes what happened to a file, for the summary and for `npm run acceptance`. vitest's own JSON report knows neither
 * why a test was skipped nor which hook failed.
 * @param {{ suite: string, file: string }} options
 * @returns {import("vitest/node").Reporter}
 */
export function testReportWriter({ suite, file }) {
  const started = Date.now();
  return {
    onTestRunEnd(modules, errors) {
      const outside = errors.map((error) => failure("unhandled error", error.message));
      /** @type {TestReport} */
      const report = {
        suite,
        node: process.version,
        startedAt: new Date(started).toISOString(),
        durationMs: Date.now() - started,
        tests: [...modules.flatMap(recordsOf), ...outside],
      };
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(report, null, 2));
    },
  };
}

/** @param {TestModule} module @returns {TestRecord[]} */
function recordsOf(module) {
  const file = relative(root, module.moduleId);
  const groups = [module, ...module.children.allSuites()];
  // A failing beforeAll leaves its tests "skipped": the failure is the group's.
  const broken = groups.filter((group) => group.errors().length > 0).map((group) => failure(file, titleOf(group)));
  return [...broken, ...[...module.children.allTests()].map((test) => recordOf(file, test, broken.length > 0))];
}

/** @param {TestModule | TestSuite} group */
const titleOf = (group) => (group.type === "suite" ? group.fullName : "the file itself");

/** @param {string} file @param {import("vitest/node").TestCase} test @param {boolean} broken @returns {TestRecord} */
function recordOf(file, test, broken) {
  const result = test.result();
  const state = result.state === "pending" ? "failed" : result.state;
  const note =
    result.state === "skipped" ? (result.note ?? (broken ? "a hook of its suite failed" : undefined)) : undefined;
  return {
    file,
    title: test.fullName,
    state,
    durationMs: Math.round(test.diagnostic()?.duration ?? 0),
    ...(note === undefined ? {} : { reason: note }),
  };
}

/** @param {string} file @param {string} title @returns {TestRecord} */
const failure = (file, title) => ({ file, title, state: "failed", durationMs: 0 });
