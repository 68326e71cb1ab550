import { expect, test } from "vitest";
import { table } from "./table.js";
import { cut, visibleLength } from "./visible-text.js";

const RED = "\u001B[31m";
const RESET = "\u001B[0m";

test("columns stand below each other, and one that is empty takes no room", () => {
  expect(
    table([
      ["a", "", "one"],
      ["bbb", "", "two"],
    ]),
  ).toEqual(["a     one", "bbb   two"]);
  expect(table([])).toEqual([]);
});

test("where the terminal is narrow, columns give way in order, none beyond a few letters", () => {
  const rows = [["run_1", "a-rather-long-name", "and a reason that goes on"]];
  expect(table(rows, { width: 40, shrink: [2, 1] })).toEqual(["run_1   a-rather-long-name   and a reas…"]);
  expect(table(rows, { width: 30, shrink: [2, 1] })).toEqual(["run_1   a-rather-l…   and a r…"]);
  expect(table(rows, { width: 10, shrink: [2, 1] })).toEqual(["run_1   a-rathe…   and a r…"]);
});

test("colours take no room, and end where text is cut", () => {
  const text = `${RED}failed${RESET} again`;
  expect(visibleLength(text)).toBe(12);
  expect(cut(text, 12)).toBe(text);
  expect(cut(text, 4)).toBe(`${RED}fai${RESET}…`);
  expect(cut(text, 9)).toBe(`${RED}failed${RESET} a…`);
  expect(cut(`${RED}failed`, 4)).toBe(`${RED}fai${RESET}…`);
});
