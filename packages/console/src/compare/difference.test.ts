// @module-tag U-33
import { expect, test } from "vitest";
import { differenceOf, type DiffSide } from "./difference.js";

const side = (parts: Partial<DiffSide> = {}): DiffSide => ({
  status: "SUCCESS",
  durationMs: 100,
  attempts: "1",
  ...parts,
});

test("differences between two steps are described in words, durations only if noticeable", () => {
  const of = (one: DiffSide | null, other: DiffSide | null, differs: ("status" | "error" | "attempts")[] = []) =>
    differenceOf({ stepId: "load", one, other, differs });
  expect(of(null, side())).toBe("only in B");
  expect(of(side(), side({ status: "FAILED" }), ["status", "error"])).toBe("A succeeded, B failed");
  expect(of(side({ errorCode: "TIMEOUT" }), side({ errorCode: "STEP_ERROR" }), ["error"])).toBe(
    "TIMEOUT in A, STEP_ERROR in B",
  );
  expect(of(side(), side({ attempts: "3" }), ["attempts"])).toBe("attempt 1 in A, 3 in B");
  expect(of(side(), side({ durationMs: 250 }))).toBe("B 150% slower");
  expect(of(side(), side({ durationMs: 105 }))).toBe("");
});
