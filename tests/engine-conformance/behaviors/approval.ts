import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const approval: Behavior = {
  name: "a run with approval starts after an operator has approved it",
  prepare: () => {
    const flow = workflow("approval", { approval: true }, (w) => w.step("work", () => "approved"));
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        expect((await run.snapshot()).status).toBe("PENDING");
        await run.approve();
        expect(await run.result()).toBe("approved");
        const types = (await stage.events(run)).map(({ eventType }) => eventType);
        expect(types.indexOf("RunStarted")).toBeGreaterThan(types.indexOf("RunApproved"));
      },
    };
  },
};
