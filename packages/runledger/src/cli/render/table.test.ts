import stringWidth from "string-width";
import { expect, test } from "vitest";
import { table } from "./table.js";
import { truncate } from "./truncate.js";

const RED = "\u001B[31m";
const RESET = "\u001B[0m";

test("columns are aligned, and an empty column is omitted", () => {
  expect(
    table([
      ["a", "", "one"],
      ["bbb", "", "two"],
    ]),
  ).toEqual(["a     one", "bbb   two"]);
  expect(table([])).toEqual([]);
});

test("a line break in a value does not start another row", { tags: ["R-26"] }, () => {
  expect(table([["run-1", "failed:\nrun-2   COMPLETED\u2028x\r\ny"]])).toEqual([
    "run-1   failed: run-2   COMPLETED x y",
  ]);
});

test("characters that are two columns wide are aligned", { tags: ["N-34"] }, () => {
  const rows = table([
    ["注文", "one"],
    ["a", "two"],
    ["👩‍👩‍👧", "three"],
  ]);
  expect(rows).toEqual(["注文   one", "a      two", "👩‍👩‍👧     three"]);
});

test("columns shrink in the given order, down to a few characters", () => {
  const rows = [["run_1", "a-rather-long-name", "and a reason that is long"]];
  expect(table(rows, { width: 40, shrink: [2, 1] })).toEqual(["run_1   a-rather-long-name   and a reas…"]);
  expect(table(rows, { width: 30, shrink: [2, 1] })).toEqual(["run_1   a-rather-l…   and a r…"]);
  expect(table(rows, { width: 10, shrink: [2, 1] })).toEqual(["run_1   a-rathe…   and a r…"]);
});

test("styles have no width and are reset where text is truncated", { tags: ["N-34"] }, () => {
  const text = `${RED}failed${RESET} again`;
  expect(truncate(text, 12)).toBe(text);
  expect(truncate(text, 4)).toBe(`${RED}fai${RESET}…`);
  expect(truncate(text, 9)).toBe(`${RED}failed${RESET} a…`);
  expect(truncate(`${RED}failed`, 4)).toBe(`${RED}fai${RESET}…`);
});

test("a wide character is never split", { tags: ["N-34"] }, () => {
  expect(truncate("注文 123", 4)).toBe("注…");
  expect(truncate("a👩‍👩‍👧b", 3)).toBe("a…");
  expect(stringWidth(truncate("注文注文注文", 6))).toBeLessThanOrEqual(6);
});
