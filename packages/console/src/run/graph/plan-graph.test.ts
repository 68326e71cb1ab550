// @module-tag U-34
import type { Plan, PlanStep } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { expect, test } from "vitest";
import { excerpt, MAX_NODES } from "./excerpt.js";
import { innerLabel } from "../../ui/inner-label.js";
import type { InnerView } from "../model/view.js";
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

test("an open frame in the center of a large graph shows its nodes", () => {
  const whole = planGraph(chain(300), new Set());
  const inside = whole.nodes.map((node) => ({ ...node, path: `s0/${node.path}`, inside: "s0" }));
  const shown = excerpt({ nodes: [...whole.nodes.slice(0, 1), ...inside], edges: [] }, "s0");
  expect(shown.nodes.length).toBeGreaterThan(50);
  expect(shown.nodes.length).toBeLessThanOrEqual(MAX_NODES);
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

test("D11: inner steps are drawn in an open step, with their own dependencies", { tags: ["D-24"] }, () => {
  const plan = compilePlan(
    {
      id: "shop",
      version: "1",
      body: {
        steps: [
          { id: "build", kind: "dbt" },
          { id: "announce", kind: "function", after: ["build"] },
        ],
      },
    },
    { kinds: ["dbt"] },
  );
  const nodes = [inner("seed.shop.raw", []), inner("model.shop.orders", ["seed.shop.raw", "model.shop.not_selected"])];
  expect(planGraph(plan, new Set(["build"]), { build: null }).nodes).toMatchObject([
    { path: "build", isContainer: true, isFrame: false },
    { path: "announce", isContainer: false },
  ]);
  const open = planGraph(plan, new Set(["build"]), { build: nodes });
  expect(open.nodes.map(({ path, inside }) => [path, inside])).toEqual([
    ["build", null],
    ["build/seed.shop.raw", "build"],
    ["build/model.shop.orders", "build"],
    ["announce", null],
  ]);
  expect(open.edges).toEqual([
    { from: "build/seed.shop.raw", to: "build/model.shop.orders" },
    { from: "build/model.shop.orders", to: "announce" },
  ]);
});

function inner(name: string, after: readonly string[]): InnerView {
  const counts = { done: 1, failed: 0, running: 0, waiting: 0, skipped: 0 };
  const [kind = ""] = name.split(".");
  const stepId = `build/${name}`;
  const shared = { status: "SUCCESS", tally: counts, failedInside: 0, example: stepId, durationMs: 5 } as const;
  return { ...shared, stepId, label: innerLabel(name, kind), kind, after: after.map((other) => `build/${other}`) };
}

test("the name of a node is short", { tags: ["D-24"] }, () => {
  expect(innerLabel("model.shop.orders", "model")).toBe("orders");
  expect(innerLabel("model.shop.orders.v2", "model")).toBe("orders.v2");
  expect(innerLabel("test.shop.unique_orders_id.b0904f19ee", "test")).toBe("unique_orders_id");
  expect(innerLabel("anything", "model")).toBe("anything");
});
