// @module-tag U-32
import { expect, test } from "vitest";
import type { ViewRow } from "../model/view.js";
import { rowNote } from "./row-note.js";

const THEN = Date.parse("2026-11-14T03:00:10.000Z");
const row = (parts: Partial<ViewRow>) =>
  ({ container: null, attempts: [], takeOvers: 0, error: null, until: null, signal: null, ...parts }) as ViewRow;
const running = { number: "1", from: THEN - 4000, to: null, outcome: "running" } as const;

test("elapsed and remaining times refer to the time that is shown", () => {
  expect(rowNote(row({ status: "RUNNING", attempts: [running] }), THEN)).toBe("4.0 s");
  const waiting = row({ status: "WAITING", kind: "wait", signal: "go", until: "2026-11-14T03:01:10.000Z" });
  expect(rowNote(waiting, THEN)).toBe("waiting for “go”, 1 m 00 s left");
  const retrying = { status: "RETRYING", error: "BUSY: later" } as const;
  expect(rowNote(row({ ...retrying, until: "2026-11-14T03:00:40.000Z" }), THEN)).toBe("BUSY: later, retrying in 30 s");
  expect(rowNote(row({ ...retrying, until: "2026-11-14T03:00:09.000Z" }), THEN)).toBe("BUSY: later, retrying soon");
});
