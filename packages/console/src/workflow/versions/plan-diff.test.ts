// @module-tag U-33
import type { Partitions, PlanBody, PlanStep } from "@runledger/contracts";
import { expect, test } from "vitest";
import { diffPlans, WHOLE } from "./plan-diff.js";

function step(id: string, more: Partial<PlanStep> = {}): PlanStep {
  return { id, kind: "function", needs: {}, after: [], ...more };
}

function plan(steps: readonly PlanStep[], more: { deadlineMs?: number; partitions?: Partitions } = {}) {
  const body: PlanBody = { steps, output: null };
  return { body, deadlineMs: null, approval: false, ...more };
}

const retry = { attempts: 3, delayMs: 10, factor: 2, maxDelayMs: 100, unless: [] };

test("a diff lists added, removed and changed steps, also inside containers", () => {
  const inner = (id: string) => [{ steps: [step(id)], output: null }];
  const before = plan([
    step("extract"),
    step("load", { retry }),
    step("each", { kind: "forEach", bodies: inner("a") }),
  ]);
  const after = plan(
    [
      step("extract"),
      step("load", { retry: { ...retry, attempts: 5 }, timeoutMs: 1000 }),
      step("each", { kind: "forEach", bodies: inner("b") }),
    ],
    { deadlineMs: 60_000 },
  );
  expect(diffPlans(before, after)).toEqual([
    { path: WHOLE, kind: "changed", fields: [{ name: "deadlineMs", before: "null", after: "60000" }] },
    {
      path: "load",
      kind: "changed",
      fields: [
        { name: "retry.attempts", before: "3", after: "5" },
        { name: "timeoutMs", before: null, after: "1000" },
      ],
    },
    { path: "each/b", kind: "added", fields: [] },
    { path: "each/a", kind: "removed", fields: [] },
  ]);
  expect(diffPlans(after, after)).toEqual([]);
});

test("a diff shows changed partitions", () => {
  const by = (end: string) => plan([step("a")], { partitions: { by: "day", start: "2026-01-01", end } });
  const fields = [{ name: "partitions.end", before: '"2026-01-02"', after: '"2026-01-03"' }];
  expect(diffPlans(by("2026-01-02"), by("2026-01-03"))).toEqual([{ path: WHOLE, kind: "changed", fields }]);
});
