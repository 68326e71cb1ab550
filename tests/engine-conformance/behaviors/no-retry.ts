import { FatalStepError, workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const noRetry: Behavior = {
  name: "an error that the policy or the error itself excludes is not retried",
  prepare: () => {
    const flow = workflow("no-retry", {}, (w) => {
      w.step("excluded", { retry: { attempts: 5, unless: ["BAD_INPUT"] }, continueOnFailure: true }, (): string => {
        throw Object.assign(new Error("no"), { code: "BAD_INPUT" });
      });
      w.step("fatal", { retry: { attempts: 5 } }, (): string => {
        throw new FatalStepError("HOPELESS", "never");
      });
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({
          snapshot: { culprit: "fatal", error: { code: "HOPELESS" } },
        });
        for (const step of ["excluded", "fatal"])
          expect(await stage.story(run, step)).toEqual(["StepStarted 1", "StepFailed 1"]);
      },
    };
  },
};
