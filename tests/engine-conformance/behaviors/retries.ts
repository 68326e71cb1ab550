import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const retries: Behavior = {
  name: "a failing step is retried as its policy allows, each attempt after its backoff",
  prepare: () => {
    const flow = workflow("retries", {}, (w) =>
      w.step("flaky", { retry: { attempts: 3, delay: "50ms", factor: 3 } }, ({ attempt }) => {
        if (attempt < 3) throw new Error(`attempt ${attempt}`);
        return attempt;
      }),
    );
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        expect(await run.result()).toBe(3);
        const events = await stage.events(run, "flaky");
        expect(await stage.story(run, "flaky")).toEqual([
          "StepStarted 1",
          "StepFailed 1",
          "StepStarted 2",
          "StepFailed 2",
          "StepStarted 3",
          "StepCompleted 3",
        ]);
        for (const failed of [1, 3]) {
          const { retryAt } = events[failed]!.eventData as { readonly retryAt: string };
          expect(events[failed + 1]!.emittedAt >= retryAt).toBe(true);
        }
      },
    };
  },
};
