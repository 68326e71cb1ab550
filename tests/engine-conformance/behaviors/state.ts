import { workflow } from "runledger";
import { z } from "zod";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const state: Behavior = {
  name: "patches of the state are folded in the order of the log",
  prepare: () => {
    const kept = {
      schema: z.object({ rows: z.number(), last: z.string().nullable() }),
      initial: { rows: 0, last: null },
    };
    const flow = workflow("state", { state: kept }, (w) => {
      const one = w.step("one", ({ patch, state: now }) => patch({ rows: now.rows + 2, last: "one" }));
      const two = w.step("two", { after: [one] }, ({ patch, state: now }) =>
        patch({ rows: now.rows * 10, last: null }),
      );
      return w.step("read", { after: [two] }, ({ state: now }) => ({ ...now }));
    });
    return {
      workflows: [flow],
      play: async (stage) => expect(await (await stage.start(flow)).result()).toEqual({ rows: 20 }),
    };
  },
};
