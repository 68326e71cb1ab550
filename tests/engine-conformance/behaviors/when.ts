import { workflow } from "runledger";
import { z } from "zod";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const when: Behavior = {
  name: "a when runs the branch that its closure chose, once",
  prepare: () => {
    const flow = workflow("when", { input: z.object({ large: z.boolean() }) }, (w) =>
      w.when(
        "size",
        { if: ({ input }) => input.large },
        (inner) => inner.step("large", () => "large"),
        (inner) => inner.step("small", () => "small"),
      ),
    );
    return {
      workflows: [flow],
      play: async (stage) => {
        expect(await (await stage.start(flow, { input: { large: true } })).result()).toBe("large");
        expect(await (await stage.start(flow, { input: { large: false } })).result()).toBe("small");
      },
    };
  },
};
