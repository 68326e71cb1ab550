import { expect, test } from "vitest";
import { bucketFor, ofStatuses, spanOf, toBars, totals } from "./histogram-bars.js";
import { timeTicks } from "./time-ticks.js";

const HOUR = 3_600_000;
const none = { PENDING: 0, APPROVED: 0, RUNNING: 0, PAUSED: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0 };
const at = (hour: number): string => new Date(hour * HOUR).toISOString();

test("[U-30] bars lie where their time is, cut at both ends of the span, and hold what is chosen", () => {
  const span = { from: 0.5 * HOUR, to: 2.5 * HOUR };
  const answer = { bars: [0, 2].map((hour) => ({ at: at(hour), counts: { ...none, COMPLETED: 3, FAILED: hour } })) };
  const bars = toBars(answer, span, "hour");
  expect(bars.map(({ left, width, total }) => [left, width, total])).toEqual([
    [0, 0.25, 3],
    [0.75, 0.25, 5],
  ]);
  expect(totals(bars)).toBe("6 completed, 2 failed");
  expect(ofStatuses(bars, ["FAILED"]).map(({ at: begin, total }) => [begin, total])).toEqual([[at(2), 2]]);
});

test("a span is that of the zoom where there is one, and its bars can be told apart", () => {
  const now = Date.parse("2026-11-14T12:00:00Z");
  expect(spanOf({}, now)).toEqual({ from: now - 24 * HOUR, to: now });
  expect(spanOf({ from: at(1), to: at(2), range: "30d" }, now)).toEqual({ from: HOUR, to: 2 * HOUR });
  expect([1, 24, 24 * 30].map((hours) => bucketFor({ from: 0, to: hours * HOUR }))).toEqual(["minute", "hour", "day"]);
});

test("an axis has few ticks, at round times inside of the span", () => {
  for (const hours of [0.2, 1, 5, 24, 24 * 7, 24 * 30, 24 * 365]) {
    const from = Date.parse("2026-11-14T12:34:56Z");
    const ticks = timeTicks({ from, to: from + hours * HOUR });
    expect(ticks.length).toBeGreaterThan(0);
    expect(ticks.length).toBeLessThanOrEqual(13);
    for (const tick of ticks) expect(tick.at % 60_000).toBe(0);
  }
});
