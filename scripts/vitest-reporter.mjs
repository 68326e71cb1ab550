import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./lib/repository.mjs";

/**
 * @typedef {import("vitest/node").TestModule} TestModule
 * @typedef {import("vitest/node").TestCase} TestCase
 * @typedef {TestModule | import("vitest/node").TestSuite} Group
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
      const outside = errors.map((error) => failure("unhandled error", error.message, error.stack));
      /** @type {TestReport} */
      const report = {
        suite,
        node: process.version,
        startedAt: new Date(started).toISOString(),
        durationMs: Date.now() - started,
        files: modules.map(fileRecordOf),
        tests: [...modules.flatMap(recordsOf), ...outside],
      };
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(report, null, 2));
    },
  };
}

/** @param {TestModule} module @returns {import("./lib/test-report.mjs").FileRecord} */
function fileRecordOf(module) {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  const durationMs = Math.round(collectDuration + setupDuration + prepareDuration + duration);
  return { file: relative(root, module.moduleId), durationMs };
}

/** @param {TestModule} module @returns {TestRecord[]} */
function recordsOf(module) {
  const file = relative(root, module.moduleId);
  const groups = [module, ...module.children.allSuites()];
  const broken = groups.filter(isBroken).map((group) => failure(file, titleOf(group), errorText(group.errors())));
  return [...broken, ...[...module.children.allTests()].map((test) => recordOf(file, test))];
}

/** A failing beforeAll leaves its tests "skipped": the failure is the group's. @param {Group} group */
function isBroken(group) {
  return group.errors().length > 0;
}

/** @param {Group} group */
function titleOf(group) {
  return group.type === "suite" ? group.fullName : "the file itself";
}

/** @param {string} file @param {TestCase} test @returns {TestRecord} */
function recordOf(file, test) {
  const result = test.result();
  const state = result.state === "pending" ? "failed" : result.state;
  const reason = result.state === "skipped" ? reasonOf(test, result.note) : undefined;
  const durationMs = Math.round(test.diagnostic()?.duration ?? 0);
  const error = state === "failed" ? errorText(result.errors) : undefined;
  const proof = result.errors?.some(isViolation) ? { violation: true } : {};
  return { file, title: test.fullName, tags: test.tags, state, durationMs, ...optional({ reason, error }), ...proof };
}

/** @param {TestCase} test @param {string | undefined} note @returns {string | undefined} */
function reasonOf(test, note) {
  if (note !== undefined) return note;
  /** @type {Group} */
  let group = test.parent;
  while (group.type === "suite" && !isBroken(group)) group = group.parent;
  return isBroken(group) ? "a hook of its suite failed" : undefined;
}

/** @param {string} file @param {string} title @param {string} [error] @returns {TestRecord} */
function failure(file, title, error) {
  return { file, title, state: "failed", durationMs: 0, ...optional({ error }) };
}

/** Violations of the history checker have an `invariant`; fast-check names its counterexample. @param {{ message: string, diff?: string }} error */
function isViolation({ message, diff = "" }) {
  return /\binvariant\b|^Property failed after/m.test(`${message}\n${diff}`);
}

/** @param {readonly { message: string, stack?: string, diff?: string }[] | undefined} errors */
function errorText(errors = []) {
  const texts = errors.map(({ message, stack, diff }) => [
    message,
    ...ownLines(stack),
    ...(diff === undefined ? [] : [diff]),
  ]);
  return stripVTControlCharacters(texts.flat().join("\n"));
}

/** Keeps the lines of a stack that are in this repository. @param {string} [stack] */
function ownLines(stack = "") {
  return stack
    .split("\n")
    .filter((line) => line.includes("at ") && line.includes(root) && !line.includes("node_modules"));
}

/** @template {Record<string, string | undefined>} T @param {T} values @returns {{ [K in keyof T]?: string }} */
function optional(values) {
  return /** @type {{ [K in keyof T]?: string }} */ (
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  );
}
