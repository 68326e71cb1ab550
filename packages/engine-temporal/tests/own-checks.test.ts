import { expect, test } from "vitest";
import { OwnChecks } from "../src/workflows/own-checks.js";

const MINUTE = 60_000;

test("an execution without a dispatcher checks after a minute, then ever more rarely, at least once per hour", () => {
  const checks = new OwnChecks(true);
  const pauses: number[] = [];
  for (let now = 0; pauses.length < 8;) {
    const next = checks.earlier(null, now)!;
    expect(checks.isDue(next - 1)).toBe(false);
    expect(checks.isDue(next)).toBe(true);
    pauses.push((next - now) / MINUTE);
    now = next;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test("a timer that is due earlier stays, and a wake-up starts the pauses again", () => {
  const checks = new OwnChecks(true);
  expect(checks.earlier(5000, 0)).toBe(5000);
  expect(checks.isDue(5000)).toBe(false);
  expect(checks.earlier(null, 5000)).toBe(MINUTE);
  expect(checks.isDue(MINUTE)).toBe(true);
  checks.restart();
  expect(checks.earlier(null, MINUTE)).toBe(2 * MINUTE);
});

test("an execution with a dispatcher never checks by itself", () => {
  const checks = new OwnChecks(false);
  expect(checks.earlier(null, 0)).toBeNull();
  expect(checks.earlier(7, 0)).toBe(7);
  expect(checks.isDue(Number.MAX_SAFE_INTEGER)).toBe(false);
});
