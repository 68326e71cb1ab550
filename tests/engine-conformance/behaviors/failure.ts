import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const failure: Behavior = {
  name: "after a failure independent branches finish, and dependents are skipped with the culprit",
  prepare: () => {
    const flow = workflow("failure", {}, (w) => {
      const bad = w.step("bad", (): string => {
        throw new Error("boom");
      });
      const next = w.step("next", { needs: { bad } }, () => 1);
      w.step("last", { after: [next] }, () => 2);
      w.step("independent", () => 3);
      w.onFailure(() => {});
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "FAILED", culprit: "bad" } });
        const steps = new Map((await run.snapshot()).steps.map((step) => [step.stepId, step]));
        for (const skipped of ["next", "last"])
          expect(steps.get(skipped)).toMatchObject({ status: "SKIPPED", culprit: "bad" });
        expect(steps.get("independent")).toMatchObject({ status: "SUCCESS" });
      },
    };
  },
};
