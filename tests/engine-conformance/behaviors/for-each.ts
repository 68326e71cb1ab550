import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const forEach: Behavior = {
  name: "a forEach runs its body per item within its concurrency, and keeps the order of the outputs",
  prepare: () => {
    let [running, most] = [0, 0];
    const flow = workflow("for-each", {}, (w) => {
      const each = w.forEach("each", { items: () => [1, 2, 3, 4, 5, 6], concurrency: 2 }, (inner) => {
        const double = inner.step("double", async ({ item }) => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
          return item * 2;
        });
        return inner.step("add", { needs: { double } }, ({ needs, index }) => needs.double + index);
      });
      return w.step("all", { needs: { each } }, ({ needs }) => needs.each.toArray());
    });
    const empty = workflow("for-each-empty", {}, (w) => {
      const each = w.forEach("each", { items: (): number[] => [] }, (inner) => inner.step("item", ({ item }) => item));
      return w.step("all", { needs: { each } }, ({ needs }) => needs.each.count);
    });
    return {
      workflows: [flow, empty],
      play: async (stage) => {
        expect(await (await stage.start(flow)).result()).toEqual([2, 5, 8, 11, 14, 17]);
        expect(most).toBeLessThanOrEqual(2);
        expect(await (await stage.start(empty)).result()).toBe(0);
      },
    };
  },
};
