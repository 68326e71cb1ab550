import { expect, test } from "vitest";
import { count, failures, judge, leftOut, summaryLine, type TestRecord } from "../../scripts/lib/test-report.mjs";

const record = (title: string, state: TestRecord["state"], reason?: string): TestRecord => ({
  file: "tests/a.test.ts",
  title,
  state,
  durationMs: 1,
  ...(reason === undefined ? {} : { reason }),
});
const report = (...tests: TestRecord[]) => ({ suite: "test", node: "v20", startedAt: "", durationMs: 1, tests });
const lenient = { requireAll: false, filtered: false };

test("[L-01] a summary counts the tests and names every one left out with its reason", () => {
  const tests = judge(report(record("one", "passed"), record("two", "skipped", "java is not installed")), lenient);
  expect(summaryLine(count(tests))).toBe("1 passed, 0 failed, 1 skipped");
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts > two: java is not installed"]);
});

test("[L-01] a file left out as a whole takes one line", () => {
  const tests = judge(report(record("one", "skipped", "no java"), record("two", "skipped", "no java")), lenient);
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts (2 tests): no java"]);
});

test("[L-01] a test left out without a reason fails the run", () => {
  const tests = judge(report(record("one", "skipped")), lenient);
  expect(count(tests)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(leftOut(tests)[0]).toContain("without a reason");
});

test("[L-01] a title filter may skip without a reason, and is not reported as left out", () => {
  const tests = judge(report(record("one", "skipped")), { requireAll: false, filtered: true });
  expect(count(tests)).toEqual({ passed: 0, failed: 0, skipped: 1 });
  expect(leftOut(tests)).toEqual([]);
});

test("[L-01] RUNLEDGER_REQUIRE_ALL fails what is left out with a reason", () => {
  const tests = judge(report(record("one", "skipped", "no java")), { requireAll: true, filtered: false });
  expect(count(tests).failed).toBe(1);
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts > one: left out, but required: no java"]);
});

test("[L-01] what a store declares that it has not is listed, and required of nobody", () => {
  const declared = record("leases", "skipped", "by declaration: this store has no port `leases`");
  const tests = judge(report(declared), { requireAll: true, filtered: false });
  expect(count(tests)).toEqual({ passed: 0, failed: 0, skipped: 1 });
  expect(leftOut(tests)).toHaveLength(1);
});

test("[L-01] what failed is named at the end, with what it said", () => {
  const failed: TestRecord = { ...record("two", "failed"), error: "expected 1 to be 2" };
  const tests = judge(report(record("one", "passed"), failed), lenient);
  expect(failures(tests)).toEqual(["failed: tests/a.test.ts > two: expected 1 to be 2"]);
});
