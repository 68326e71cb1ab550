/**
 * One test, or one thing that failed around tests (a hook, a file that does not load).
 * @typedef {{ file: string, title: string, state: "passed" | "failed" | "skipped", reason?: string, error?: string, durationMs: number }} TestRecord
 *
 * What a run of a suite leaves in reports/<suite>.json.
 * @typedef {{ suite: string, node: string, startedAt: string, durationMs: number, tests: TestRecord[] }} TestReport
 */

/**
 * Who judges a run: `requireAll` fails what was left out, `filtered` says that a title filter, and not the test, skipped.
 * @typedef {{ requireAll: boolean, filtered: boolean }} Rules
 */

/** What a store declares that it has not is no suite that is missing here: it is listed, and required of nobody. */
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
 * Every test that failed, with the beginning of what it said: who has only the end of an output still learns which.
 * @param {readonly TestRecord[]} tests
 * @returns {string[]}
 */
export function failures(tests) {
  return tests
    .filter(({ state }) => state === "failed")
    .map(
      ({ file, title, error, reason }) => `failed: ${file} > ${title}: ${(error ?? reason ?? "").slice(0, MOST_SAID)}`,
    );
}

/** @param {readonly TestRecord[]} tests */
export function count(tests) {
  const of = (/** @type {TestRecord["state"]} */ state) => tests.filter((test) => test.state === state).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** The line that machines read. @param {ReturnType<typeof count>} counts */
export const summaryLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
