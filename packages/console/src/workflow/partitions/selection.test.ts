// @module-tag D-32
import { expect, test } from "vitest";
import { isSelected, moved, select, selected } from "./selection.js";

test("a click selects one partition, clears it again, and with Shift extends the selection in both directions", () => {
  const one = select(null, 2, false);
  expect(selected(["a", "b", "c", "d"], one)).toEqual(["c"]);
  expect(select(one, 2, false)).toBeNull();
  const back = select(one, 0, true);
  expect(selected(["a", "b", "c", "d"], back)).toEqual(["a", "b", "c"]);
  expect(selected(["a", "b", "c", "d"], select(back, 3, true))).toEqual(["c", "d"]);
  expect(select(null, 3, true)).toEqual({ anchor: 3, to: 3 });
  expect([isSelected(back, 3), isSelected(null, 0)]).toEqual([false, false]);
  expect(selected(["a"], null)).toEqual(["a"]);
});

test("keys move through the lines of the grid and stop at its ends", () => {
  const grid = { count: 10, perLine: 4 };
  expect(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => moved(5, key, grid))).toEqual([
    4, 6, 1, 9, 0, 9,
  ]);
  expect(["ArrowDown", "x"].map((key) => moved(8, key, grid))).toEqual([null, null]);
  expect(moved(0, "ArrowLeft", grid)).toBeNull();
});
