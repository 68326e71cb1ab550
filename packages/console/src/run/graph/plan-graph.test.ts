import type { Plan, PlanStep } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { expect, test } from "vitest";
import { excerpt, MOST_DRAWN } from "./neighbourhood.js";
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

test("[U-34] of a large graph the part around a step is drawn, never more than 300 nodes", () => {
  const whole = planGraph(chain(2000), new Set());
  const shown = excerpt(whole, "s1000");
  expect(whole.nodes).toHaveLength(2000);
  expect(MOST_DRAWN).toBeLessThanOrEqual(300);
  expect(shown.nodes.length).toBeLessThanOrEqual(MOST_DRAWN);
  expect(shown.nodes.map(({ path }) => path)).toContain("s1001");
  expect(shown.hidden).toBe(2000 - shown.nodes.length);
  const small = planGraph(chain(100), new Set());
  expect(excerpt(small, "s5")).toMatchObject({ focus: null, hidden: 0, nodes: small.nodes });
});

test("an open container is a frame, and its edges lead to the first and from the last of its steps", () => {
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
