import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const cancel: Behavior = {
  name: "a cancelled run aborts its running steps and starts no others",
  prepare: () => {
    let aborted = false;
    const flow = workflow("cancel", {}, (w) => {
      const busy = w.step("busy", ({ signal }) => {
        signal.addEventListener("abort", () => (aborted = true));
        return new Promise<string>(() => {});
      });
      w.step("never", { needs: { busy } }, () => 1);
      w.waitForSignal("go");
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        for (const step of ["busy", "go"]) await stage.has(run, "StepStarted", step);
        await run.cancel();
        await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "CANCELLED" } });
        expect(aborted).toBe(true);
        expect(await stage.story(run, "busy")).toEqual(["StepStarted 1", "StepFailed 1"]);
      },
    };
  },
};
