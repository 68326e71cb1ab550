// @module-tag R-02
import { expect, test } from "vitest";
import { untakenSignals } from "../index.js";

const signals = (...names: readonly string[]) => names.map((name, index) => ({ signalId: `s${index}`, name }));

test("a finished run names the signals that no step has taken", () => {
  expect(untakenSignals({ status: "COMPLETED", signals: signals("go", "late", "go") })).toBe("3 (go, late)");
  expect(untakenSignals({ status: "FAILED", signals: signals("a", "b", "c", "d", "e", "f") })).toBe(
    "6 (a, b, c, d, e, …)",
  );
  expect(untakenSignals({ status: "CANCELLED" })).toBeNull();
  expect(untakenSignals({ status: "RUNNING", signals: signals("go") })).toBeNull();
});
