// @module-tag U-36
import { expect, test } from "vitest";
import type { ViewRow } from "../model/view.js";
import { makeScale } from "../model/time-scale.js";
import { noteStyle } from "./bar-style.js";

const TIME = { ...makeScale({ from: 0, to: 1000 }, []), now: 1000 };
const ERROR = "STEP_ERROR: the warehouse did not answer";
const row = (from: number, to: number | null, readyAt: number | null = null) =>
  ({ readyAt, attempts: [{ number: "1", from, to, outcome: "done" }] }) as unknown as ViewRow;

test("a duration is placed after its bar, also if the bar ends at the edge", () => {
  expect(noteStyle(row(0, 300), "300 ms", TIME, false).left).toBe("calc(30% + 8px)");
  expect(noteStyle(row(100, null), "900 ms", TIME, false).left).toBe("calc(100% + 8px)");
});

test("an error is placed beside the bars and clear of the line for queued time", () => {
  expect(noteStyle(row(750, 1000), ERROR, TIME, false)).toMatchObject({ right: "calc(25% + 8px)" });
  expect(noteStyle(row(750, 1000, 500), ERROR, TIME, false)).toEqual({
    right: "calc(50% + 8px)",
    maxWidth: "calc(50% - 16px)",
  });
  expect(noteStyle(row(300, 1000), ERROR, TIME, true).maxWidth).toBe("75%"); // a third of a narrow track holds no words
  expect(noteStyle(row(900, 950, 50), ERROR, TIME, false).maxWidth).toBe("50%"); // no room on either side: upon the bars
});
