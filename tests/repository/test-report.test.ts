// @module-tag L-01
import { expect, test } from "vitest";
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
  type TestRecord,
} from "../../scripts/lib/test-report.mjs";

const record = (title: string, state: TestRecord["state"], reason?: string): TestRecord => ({
  file: "tests/a.test.ts",
  title,
  state,
  durationMs: 1,
  ...(reason === undefined ? {} : { reason }),
});
const report = (...tests: TestRecord[]) => ({
  suite: "test",
  node: "v20",
  startedAt: "",
  durationMs: 1,
  files: [],
  tests,
});
const lenient = { requireAll: false, filtered: false };

test("a summary counts the tests and names every one left out with its reason", () => {
  const tests = judge(report(record("one", "passed"), record("two", "skipped", "java is not installed")), lenient);
  expect(summaryLine(count(tests))).toBe("1 passed, 0 failed, 1 skipped");
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts > two: java is not installed"]);
});

test("a file left out as a whole takes one line", () => {
  const tests = judge(report(record("one", "skipped", "no java"), record("two", "skipped", "no java")), lenient);
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts (2 tests): no java"]);
});

test("a test left out without a reason fails the run", () => {
  const tests = judge(report(record("one", "skipped")), lenient);
  expect(count(tests)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(leftOut(tests)[0]).toContain("without a reason");
});

test("a title filter may skip without a reason, and is not reported as left out", () => {
  const tests = judge(report(record("one", "skipped")), { requireAll: false, filtered: true });
  expect(count(tests)).toEqual({ passed: 0, failed: 0, skipped: 1 });
  expect(leftOut(tests)).toEqual([]);
});

test("RUNLEDGER_REQUIRE_ALL fails what is left out with a reason", () => {
  const tests = judge(report(record("one", "skipped", "no java")), { requireAll: true, filtered: false });
  expect(count(tests).failed).toBe(1);
  expect(leftOut(tests)).toEqual(["left out: tests/a.test.ts > one: left out, but required: no java"]);
});

test("ports that a store declares not to have are listed and not required", () => {
  const declared = record("leases", "skipped", "by declaration: this store has no port `leases`");
  const tests = judge(report(declared), { requireAll: true, filtered: false });
  expect(count(tests)).toEqual({ passed: 0, failed: 0, skipped: 1 });
  expect(leftOut(tests)).toHaveLength(1);
});

test("failed tests are listed at the end with their errors", () => {
  const failed: TestRecord = { ...record("two", "failed"), error: "expected 1 to be 2" };
  const tests = judge(report(record("one", "passed"), failed), lenient);
  expect(failures(tests)).toEqual(["failed: tests/a.test.ts > two: expected 1 to be 2"]);
});

test("the ten slowest files are listed, the slowest first", { tags: ["N-01"] }, () => {
  const files = Array.from({ length: 12 }, (_, place) => ({
    file: `tests/${place}.test.ts`,
    durationMs: place * 1000,
  }));
  const lines = slowest(files);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe("slow:   11.0 s  tests/11.test.ts");
});

test("parts of a suite make one report", { tags: ["N-01"] }, () => {
  const parts = [report(record("one", "passed")), report(record("two", "failed"))];
  expect(merged(parts)).toMatchObject({ durationMs: 2, tests: [{ title: "one" }, { title: "two" }] });
});

const failedIn = (file: string, title = "one"): TestRecord => ({
  ...record(title, "failed"),
  file,
  error: "too slow",
});

test(
  "a file that failed is repeated, but not for a violation, and only if few files failed",
  { tags: ["N-02"] },
  () => {
    const journey = failedIn("tests/journeys/dev.test.ts");
    const race: TestRecord = { ...failedIn("tests/chaos/start.test.ts"), violation: true };
    const pure = failedIn("packages/core/src/fold/evolve.test.ts");
    expect(filesToRepeat(report(journey, race, pure))).toEqual([journey.file]);
    const four = [1, 2, 3, 4].map((place) => failedIn(`tests/console/${place}.test.ts`));
    expect(filesToRepeat(report(...four))).toEqual([]);
  },
);

test("a journey that passes on its second attempt is listed with its first error", { tags: ["N-02"] }, () => {
  const first = failedIn("tests/journeys/dev.test.ts");
  const { error: _, ...second } = { ...first, state: "passed" as const };
  const { tests } = withSecondAttempt(report(record("other", "passed"), first), report(second));
  expect(count(tests)).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(flaky(tests)).toEqual([
    "flaky: tests/journeys/dev.test.ts > one passed on its second attempt; first: too slow",
  ]);
});

test("a journey that fails twice stays failed", { tags: ["N-02"] }, () => {
  const first = failedIn("tests/journeys/dev.test.ts");
  const { tests } = withSecondAttempt(report(first), report(first));
  expect(failures(tests)).toEqual(["failed: tests/journeys/dev.test.ts > one: too slow"]);
  expect(flaky(tests)).toEqual([]);
});
