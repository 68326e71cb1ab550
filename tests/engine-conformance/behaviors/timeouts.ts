import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const timeouts: Behavior = {
  name: "a step that takes too long is aborted, fails with TIMEOUT, and is retried",
  prepare: () => {
    let aborted = 0;
    const options = { timeout: "100ms", retry: { attempts: 2, delay: "10ms" } } as const;
    const flow = workflow("timeouts", {}, (w) =>
      w.step("slow", options, ({ signal }) => {
        signal.addEventListener("abort", () => aborted++);
        return new Promise<string>(() => {});
      }),
    );
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "TIMEOUT" }, culprit: "slow" } });
        expect(aborted).toBe(2);
      },
    };
  },
};
