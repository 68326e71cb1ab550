// @module-tag R-30
import { expect, test } from "vitest";
import { makeScale, shareOf, timeAt } from "./time-scale.js";

const MINUTE = 60_000;
const WAIT = { from: 1000, to: 1000 + 44 * MINUTE };
const SPAN = { from: 0, to: WAIT.to + 1000 };

test("a long idle stretch takes a third of the axis, and work keeps its proportions", () => {
  const scale = makeScale(SPAN, [WAIT]);
  expect(shareOf(1000, scale)).toBeCloseTo(1 / 3);
  expect(shareOf(500, scale)).toBeCloseTo(1 / 6);
  expect(shareOf(WAIT.to, scale)).toBeCloseTo(2 / 3);
  expect(scale.parts.map(({ isShortened }) => isShortened)).toEqual([false, true, false]);
});

test("short idle stretches keep their length next to a long one", () => {
  const scale = makeScale(SPAN, [{ from: 200, to: 300 }, WAIT]);
  expect(shareOf(300, scale) - shareOf(200, scale)).toBeCloseTo(shareOf(400, scale) - shareOf(300, scale));
});

test("many idle stretches together take a third of the axis", () => {
  const waits = Array.from({ length: 200 }, (_, index) => ({ from: index * MINUTE + 2000, to: (index + 1) * MINUTE }));
  const scale = makeScale({ from: 0, to: 200 * MINUTE }, waits);
  const shortened = scale.parts.filter(({ isShortened }) => isShortened);
  expect(shortened.length).toBe(200);
  expect(shortened.reduce((sum, { left, right }) => sum + right - left, 0)).toBeCloseTo(1 / 3);
  expect(scale.parts.at(-1)!.right).toBeCloseTo(1);
});

test("a position on the axis is the inverse of a time, and times outside are beyond the axis", () => {
  const scale = makeScale(SPAN, [WAIT]);
  for (const at of [0, 1, 700, 5000, MINUTE, WAIT.to + 3]) expect(timeAt(shareOf(at, scale), scale)).toBeCloseTo(at);
  expect(shareOf(-1000, scale)).toBeLessThan(0);
  expect(shareOf(SPAN.to + 1000, scale)).toBeGreaterThan(1);
});

test("a run that only waits, and a run that only works, have an even axis", () => {
  expect(makeScale(SPAN, [SPAN]).parts).toHaveLength(1);
  expect(makeScale(SPAN, []).parts).toHaveLength(1);
});
