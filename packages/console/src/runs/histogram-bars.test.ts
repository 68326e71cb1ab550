// @module-tag U-30
import { expect, test } from "vitest";
import { countsOf, ofStatuses, toBars, totals } from "./histogram-bars.js";
import { hasDrifted, rangeOf } from "./time-range.js";
import { timeTicks } from "./time-ticks.js";

const HOUR = 3_600_000;
const none = { PENDING: 0, APPROVED: 0, RUNNING: 0, PAUSED: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0 };
const at = (hour: number): string => new Date(hour * HOUR).toISOString();

test("bars are placed by time, clipped to the span and filtered by status", () => {
  const span = { from: 0.5 * HOUR, to: 2.5 * HOUR };
  const answer = { bars: [0, 2].map((hour) => ({ at: at(hour), counts: { ...none, COMPLETED: 3, FAILED: hour } })) };
  const bars = toBars(answer, span, "hour");
  expect(bars.map(({ left, width, total }) => [left, width, total])).toEqual([
    [0, 0.25, 3],
    [0.75, 0.25, 5],
  ]);
  expect(totals(bars)).toBe("6 completed, 2 failed");
  expect(countsOf(bars)).toEqual({ ...none, COMPLETED: 6, FAILED: 2 });
  expect(ofStatuses(bars, ["FAILED"]).map(({ at: begin, total }) => [begin, total])).toEqual([[at(2), 2]]);
});

test("a range starts and ends with a bar, so that list, bars and counts agree", { tags: ["R-30"] }, () => {
  const now = Date.parse("2026-11-14T12:20:30Z");
  const hour = Date.parse("2026-11-14T12:00:00Z");
  expect(rangeOf({}, now)).toEqual({ from: hour - 24 * HOUR, to: null, bucket: "hour" });
  expect(rangeOf({ from: at(1.001), to: at(2.001), range: "30d" }, now)).toEqual({
    from: HOUR,
    to: 2 * HOUR + 60_000,
    bucket: "minute",
  });
  expect((["1h", "7d", "30d", "all"] as const).map((range) => rangeOf({ range }, now).bucket)).toEqual([
    "minute",
    "hour",
    "day",
    "day",
  ]);
});

test("a range that ends now follows the clock, but not with every bar", { tags: ["R-30"] }, () => {
  const now = Date.parse("2026-11-14T12:20:30Z");
  const range = rangeOf({ range: "1h" }, now);
  expect(hasDrifted({ range: "1h" }, range, now + 60_000)).toBe(false);
  expect(hasDrifted({ range: "1h" }, range, now + 10 * 60_000)).toBe(true);
  expect(hasDrifted({ range: "1h", from: at(1) }, range, now + HOUR)).toBe(false);
});

test("an axis has few ticks at round times inside the span", () => {
  for (const hours of [0.2, 1, 5, 24, 24 * 7, 24 * 30, 24 * 365]) {
    const from = Date.parse("2026-11-14T12:34:56Z");
    const ticks = timeTicks({ from, to: from + hours * HOUR });
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(13);
    for (const tick of ticks) expect(tick.at % 60_000).toBe(0);
  }
});
