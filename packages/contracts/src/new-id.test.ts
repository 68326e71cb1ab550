import { expect, test } from "vitest";
import { newId } from "./new-id.js";

test("an id has its prefix, the time and 80 random bits in hexadecimal", () => {
  const before = Date.now();
  const [prefix, rest] = newId("run").split("_") as [string, string];
  expect(prefix).toBe("run");
  expect(rest).toMatch(/^[0-9a-f]{32}$/);
  expect(Number.parseInt(rest.slice(0, 12), 16)).toBeGreaterThanOrEqual(before);
});

test("ids differ, also across the pool of random bytes", () => {
  expect(new Set(Array.from({ length: 1000 }, () => newId("run"))).size).toBe(1000);
});
