import { workflow } from "runledger";
import { expect } from "vitest";
import type { JsonObject } from "@runledger/contracts";
import { SECRET, type Behavior } from "../behavior.js";

const ROWS = 30_000;

export const largeOutput: Behavior = {
  name: "an output that no event can hold moves to an artifact, and other steps read it as any other output",
  prepare: () => {
    const inner = workflow("large-output-child", {}, (w) =>
      w.step("make", () => Array.from({ length: ROWS }, (_, id) => `row ${id}`)),
    );
    const flow = workflow("large-output", {}, (w) => {
      const rows = w.step("rows", async ({ secrets }) => {
        return { rows: Array.from({ length: ROWS }, (_, id) => ({ id })), token: await secrets.get(SECRET.name) };
      });
      const child = w.child("child", inner);
      const each = w.forEach("each", { items: () => [1, 2] }, (b) => b.step("one", () => "x".repeat(300_000)));
      return w.step("read", { needs: { rows, child, each } }, async ({ needs }) => {
        const lengths = (await needs.each.toArray()).map((text) => text.length);
        return { ...needs.rows, lengths, last: needs.child.at(-1) };
      });
    });
    return {
      workflows: [flow, inner],
      play: async (stage) => {
        const run = await stage.start(flow);
        const result = await run.result();
        expect(result).toMatchObject({ lengths: [300_000, 300_000], last: `row ${ROWS - 1}` });
        expect(result.rows.length).toBe(ROWS);
        expect(result.token).not.toContain(SECRET.value);
        const events = await stage.events(run);
        const named = events.filter(({ eventData }) => "outputArtifact" in (eventData as JsonObject));
        const steps = new Set(named.map(({ stepId }) => stepId));
        expect(steps).toEqual(new Set(["child", "each/0/one", "each/1/one", "read", "rows"]));
        expect(Math.max(...events.map(({ eventData }) => JSON.stringify(eventData).length))).toBeLessThan(5000);
      },
    };
  },
};
