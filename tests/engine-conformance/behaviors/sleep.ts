import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const sleep: Behavior = {
  name: "a sleep ends at its recorded time, for a duration and until a time",
  prepare: () => {
    const flow = workflow("sleep", {}, (w) => {
      const nap = w.sleep("nap", { for: "150ms" });
      const until = (): string => new Date(Date.now() + 150).toISOString();
      const rest = w.sleep("rest", { after: [nap], until });
      return w.step("awake", { after: [rest] }, () => "awake");
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        expect(await run.result()).toBe("awake");
        expect(await stage.story(run, "nap")).toEqual(["StepStarted 1", "StepCompleted 1"]);
        const [start, end] = await stage.events(run, "rest");
        const { opened } = start!.eventData as { readonly opened: { readonly until: string } };
        expect(end!.emittedAt >= opened.until).toBe(true);
      },
    };
  },
};
