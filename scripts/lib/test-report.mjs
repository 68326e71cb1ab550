/**
 * One test, or one thing that failed around tests (a hook, a file that does not load).
 * @typedef {{ file: string, title: string, tags?: string[], state: "passed" | "failed" | "skipped", reason?: string, error?: string, firstError?: string, violation?: boolean, durationMs: number }} TestRecord
 * `firstError` is the error of a first attempt, if the test's file was repeated. `violation` is `true` if a checker found
 * a broken invariant or a counterexample.
 *
 * A test file, and how long it took with its imports and hooks.
 * @typedef {{ file: string, durationMs: number }} FileRecord
 *
 * What a run of a suite leaves in reports/<suite>.json.
 * @typedef {{ suite: string, node: string, startedAt: string, durationMs: number, files: FileRecord[], tests: TestRecord[] }} TestReport
 */

/**
 * How a run is judged: `requireAll` fails skipped tests; `filtered` means that a title filter skipped them, not the test.
 * @typedef {{ requireAll: boolean, filtered: boolean }} Rules
 */

/** Tests of ports that a store declares not to have. They are listed, and `requireAll` does not require them. */
const DECLARED = "by declaration: ";
/** Characters of an error in a summary. */
const MOST_SAID = 2000;
const NO_REASON = "left out without a reason: use ctx.skip(reason)";

/**
 * The tests of a report as the rules see them. Nothing may be left out silently.
 * @param {TestReport} report
 * @param {Rules} rules
 * @returns {TestRecord[]}
 */
export function judge(report, rules) {
  return report.tests.map((test) => {
    if (test.state !== "skipped") return test;
    if (test.reason === undefined && !rules.filtered) return { ...test, state: "failed", reason: NO_REASON };
    if (!rules.requireAll || test.reason?.startsWith(DECLARED)) return test;
    return { ...test, state: "failed", reason: `left out, but required: ${test.reason}` };
  });
}

/**
 * Every left-out test with its reason; a file left out as a whole takes one line.
 * @param {readonly TestRecord[]} tests
 * @returns {string[]}
 */
export function leftOut(tests) {
  const files = [...new Set(tests.map((test) => test.file))];
  return files.flatMap((file) => {
    const ofFile = tests.filter((test) => test.file === file);
    const left = ofFile.filter((test) => test.reason !== undefined);
    const reasons = new Set(left.map((test) => test.reason));
    if (left.length > 1 && left.length === ofFile.length && reasons.size === 1)
      return [`left out: ${file} (${left.length} tests): ${[...reasons].join()}`];
    return left.map((test) => `left out: ${file} > ${test.title}: ${test.reason}`);
  });
}

/**
 * Lists every failed test with the start of its error, so that the end of an output is enough to see them.
 * @param {readonly TestRecord[]} tests
 * @returns {string[]}
 */
export function failures(tests) {
  return tests
    .filter(({ state }) => state === "failed")
    .map((test) => `failed: ${nameOf(test)}: ${(test.error ?? test.reason ?? "").slice(0, MOST_SAID)}`);
}

/** Only the code determines their inputs and order, so a failure repeats. */
const DETERMINISTIC = /^(tests\/(simulation|histories)|packages\/(contracts|core|store-conformance))\//;
/** If more files failed, the product is broken and the machine is not to blame. */
const MOST_REPEATED = 3;

/**
 * Lists the files that failed and deserve a second attempt by themselves. A violation that a checker found is proof of a
 * race, so its file is never repeated.
 * @param {TestReport} report
 * @returns {string[]}
 */
export function filesToRepeat(report) {
  const failed = report.tests.filter(({ state }) => state === "failed");
  const files = new Set(failed.map(({ file }) => file));
  if (files.size > MOST_REPEATED) return [];
  const proven = new Set(failed.filter(({ violation }) => violation).map(({ file }) => file));
  return [...files].filter((file) => file.endsWith(".test.ts") && !proven.has(file) && !DETERMINISTIC.test(file));
}

/**
 * Replaces the tests of the repeated files. Each test that failed first keeps that error.
 * @param {TestReport} first
 * @param {TestReport} second
 * @returns {TestReport}
 */
export function withSecondAttempt(first, second) {
  const repeated = new Set(second.tests.map(({ file }) => file));
  const errors = new Map(
    first.tests.filter(({ state }) => state === "failed").map((test) => [nameOf(test), test.error ?? ""]),
  );
  const again = second.tests.map((test) => {
    const firstError = errors.get(nameOf(test));
    return firstError === undefined ? test : { ...test, firstError };
  });
  return {
    ...first,
    durationMs: first.durationMs + second.durationMs,
    tests: [...first.tests.filter(({ file }) => !repeated.has(file)), ...again],
  };
}

/**
 * Lists the tests that passed on their second attempt, with the first error.
 * @param {readonly TestRecord[]} tests
 * @returns {string[]}
 */
export function flaky(tests) {
  return tests
    .filter(({ state, firstError }) => state === "passed" && firstError !== undefined)
    .map(
      (test) => `flaky: ${nameOf(test)} passed on its second attempt; first: ${test.firstError?.slice(0, MOST_SAID)}`,
    );
}

/** @param {TestRecord} test */
function nameOf({ file, title }) {
  return `${file} > ${title}`;
}

/** Files that a summary names as the slowest. */
const SLOWEST = 10;

/**
 * Lists the slowest files, so that everyone sees what a run waits for.
 * @param {readonly FileRecord[]} files
 * @returns {string[]}
 */
export function slowest(files) {
  const sorted = [...files].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST);
  return sorted.map(({ file, durationMs }) => `slow: ${(durationMs / 1000).toFixed(1).padStart(6)} s  ${file}`);
}

/**
 * Makes one report of several parts of a suite.
 * @param {readonly TestReport[]} parts at least one
 * @returns {TestReport}
 */
export function merged(parts) {
  const [first] = parts;
  if (first === undefined) throw new Error("There is no report to merge.");
  return {
    ...first,
    durationMs: parts.reduce((sum, { durationMs }) => sum + durationMs, 0),
    files: parts.flatMap(({ files }) => files),
    tests: parts.flatMap(({ tests }) => tests),
  };
}

/** @param {readonly TestRecord[]} tests */
export function count(tests) {
  const of = (/** @type {TestRecord["state"]} */ state) => tests.filter((test) => test.state === state).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** The line that machines read. @param {ReturnType<typeof count>} counts */
export const summaryLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
