// @module-tag U-31
import type { PlanStep, StepRow } from "@runledger/contracts";
import { initialState, toRunState, toRunHeader } from "@runledger/core";
import { expect, test } from "vitest";
import { readyAt } from "./ready-at.js";

const at = (ms: number) => new Date(ms).toISOString();
const row = (stepId: string, from: number, to: number): StepRow => ({
  stepId,
  ordinal: 0,
  status: "SUCCESS",
  logicalAttemptId: "1",
  startedAt: at(from),
  completedAt: at(to),
  artifacts: [],
});
const step = (id: string, after: readonly string[]): PlanStep => ({ id, kind: "function", needs: {}, after });
const header = { ...toRunHeader(initialState("run")), startedAt: at(0) };

test("a step is ready when its last dependency has finished, an item when its container has started", () => {
  const rows = [
    row("a", 0, 100),
    row("b", 0, 300),
    row("c", 450, 500),
    row("tables", 500, 900),
    row("tables/7/x", 800, 900),
  ];
  const state = toRunState(header, rows);
  const of = (stepId: string, plan: PlanStep) =>
    readyAt({ stepId, label: "", depth: 0, step: plan, isPass: false }, state.steps.get(stepId), state);
  expect(of("c", step("c", ["a", "b"]))).toBe(300);
  expect(of("tables/7/x", step("x", []))).toBe(500);
  expect(of("a", step("a", []))).toBeNull();
  expect(of("never", step("never", ["a"]))).toBeNull();
});
