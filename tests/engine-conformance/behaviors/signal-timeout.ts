import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const signalTimeout: Behavior = {
  name: "a wait without its signal fails with TIMEOUT",
  prepare: () => {
    const flow = workflow("signal-timeout", {}, (w) => w.waitForSignal("never", { timeout: "100ms" }));
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({
          snapshot: { culprit: "never", error: { code: "TIMEOUT" } },
        });
      },
    };
  },
};
