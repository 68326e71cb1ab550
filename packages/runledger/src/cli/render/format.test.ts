import { expect, test } from "vitest";
import { duration, shellWord, short } from "./format.js";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [12_449, "12.4 s"],
  [59_999, "59.9 s"],
  [125_000, "2 m 5 s"],
  [3_600_000, "1 h 0 m"],
  [2 * 86_400_000 + 23 * 3_600_000, "2 d 23 h"],
  [-5, "0 ms"],
])("%d ms is formatted as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test("a shell word is quoted only if needed", () => {
  expect(["run_01", `{"by":"you"}`, "it's"].map(shellWord)).toEqual([
    "run_01",
    `'{"by":"you"}'`,
    String.raw`'it'\''s'`,
  ]);
});

test("a long text becomes one short line", () => {
  expect(short("one\n  two", 20)).toBe("one two");
  expect(short("0123456789", 5)).toBe("0123…");
});
