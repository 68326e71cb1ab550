// @module-tag U-34
import type { Plan, PlanStep } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { expect, test } from "vitest";
import { excerpt, MAX_NODES } from "./excerpt.js";
import { planGraph } from "./plan-graph.js";

function chain(length: number): Plan {
  const steps = Array.from({ length }, (_, index): PlanStep => {
    return { id: `s${index}`, kind: "function", needs: {}, after: index === 0 ? [] : [`s${index - 1}`] };
  });
  return {
    planId: "chain",
    planVersion: "1",
    hash: "",
    body: { steps, output: null },
    deadlineMs: null,
    approval: false,
  };
}

test("a large graph shows the part around a step, with at most 300 nodes", () => {
  const whole = planGraph(chain(2000), new Set());
  const shown = excerpt(whole, "s1000");
  expect(whole.nodes).toHaveLength(2000);
  expect(MAX_NODES).toBeLessThanOrEqual(300);
  expect(shown.nodes.length).toBeLessThanOrEqual(MAX_NODES);
  expect(shown.nodes.map(({ path }) => path)).toContain("s1001");
  expect(shown.hidden).toBe(2000 - shown.nodes.length);
  const small = planGraph(chain(100), new Set());
  expect(excerpt(small, "s5")).toMatchObject({ focus: null, hidden: 0, nodes: small.nodes });
});

test("an open container is a frame whose edges connect its first and last steps", () => {
  const plan = compilePlan({
    id: "orders",
    version: "1",
    body: {
      steps: [
        { id: "load", kind: "function" },
        {
          id: "tables",
          kind: "forEach",
          after: ["load"],
          concurrency: 2,
          bodies: [
            {
              steps: [
                { id: "a", kind: "function" },
                { id: "b", kind: "function", after: ["tables/a"] },
              ],
            },
          ],
        },
        { id: "end", kind: "function", after: ["tables"] },
      ],
    },
  });
  expect(planGraph(plan, new Set()).edges).toEqual([
    { from: "load", to: "tables" },
    { from: "tables", to: "end" },
  ]);
  expect(planGraph(plan, new Set(["tables"])).edges).toEqual(
    expect.arrayContaining([
      { from: "load", to: "tables/a" },
      { from: "tables/a", to: "tables/b" },
      { from: "tables/b", to: "end" },
    ]),
  );
});
