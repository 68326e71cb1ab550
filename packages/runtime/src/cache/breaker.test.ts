// @module-tag H-21
import { expect, test } from "vitest";
import { Breaker } from "./breaker.js";

function opened() {
  const clock = { at: 0, now: () => clock.at };
  const breaker = new Breaker(clock);
  const fail = (times: number) => Array.from({ length: times }, () => breaker.failed());
  return { clock, breaker, fail };
}

test("three failures in a row stop the calls, and one call at a time tries again", () => {
  const { clock, breaker, fail } = opened();
  fail(2);
  breaker.succeeded();
  expect(fail(3)).toEqual([false, false, true]);
  expect(breaker.allows()).toBe(false);
  clock.at = 1000;
  expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
  breaker.succeeded();
  expect([breaker.allows(), breaker.allows()]).toEqual([true, true]);
});

test("the pause doubles with every failed try, up to half a minute", () => {
  const { clock, breaker, fail } = opened();
  fail(3);
  const pauses: number[] = [];
  for (let round = 0; round < 8; round++) {
    const from = clock.at;
    while (!breaker.allows()) clock.at += 500;
    pauses.push(clock.at - from);
    expect(fail(1)).toEqual([false]);
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});
