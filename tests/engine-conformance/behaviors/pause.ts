import { workflow } from "runledger";
import { expect } from "vitest";
import { gate, type Behavior } from "../behavior.js";

export const pause: Behavior = {
  name: "a paused run finishes its running steps and starts others only after it is resumed",
  prepare: () => {
    const { opened, open } = gate();
    const flow = workflow("pause", {}, (w) => {
      const first = w.step("first", () => opened);
      return w.step("second", { after: [first] }, () => "done");
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await stage.has(run, "StepStarted", "first");
        await run.pause();
        await stage.has(run, "RunPaused");
        open();
        await stage.has(run, "StepCompleted", "first");
        expect(await stage.story(run, "second")).toEqual([]);
        await run.resume();
        expect(await run.result()).toBe("done");
        const types = (await stage.events(run)).map(({ eventType, stepId }) => `${eventType} ${stepId ?? ""}`);
        expect(types.indexOf("StepStarted second")).toBeGreaterThan(types.indexOf("RunResumed "));
      },
    };
  },
};
