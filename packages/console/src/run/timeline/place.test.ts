import { expect, test } from "vitest";
import type { ViewRow } from "../model/view.js";
import { noteStyle } from "./place.js";

const TIME = { from: 0, to: 1000, now: 1000 };
const ERROR = "STEP_ERROR: the warehouse did not answer";
const row = (from: number, to: number | null, readyAt: number | null = null) =>
  ({ readyAt, attempts: [{ number: "1", from, to, outcome: "done" }] }) as unknown as ViewRow;

test("[U-36] a duration stands behind its bar, also where the bar ends at the edge", () => {
  expect(noteStyle(row(0, 300), "300 ms", TIME, false).left).toBe("calc(30% + 8px)");
  expect(noteStyle(row(100, null), "900 ms", TIME, false).left).toBe("calc(100% + 8px)");
});

test("[U-36] an error stands beside the bars, and not upon the line that says how long the step was queued", () => {
  expect(noteStyle(row(750, 1000), ERROR, TIME, false)).toMatchObject({ right: "calc(25% + 8px)" });
  expect(noteStyle(row(750, 1000, 500), ERROR, TIME, false)).toEqual({
    right: "calc(50% + 8px)",
    maxWidth: "calc(50% - 16px)",
  });
  expect(noteStyle(row(300, 1000), ERROR, TIME, true).maxWidth).toBe("75%"); // a third of a narrow track holds no words
  expect(noteStyle(row(900, 950, 50), ERROR, TIME, false).maxWidth).toBe("50%"); // no room on either side: upon the bars
});
