import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const fork: Behavior = {
  name: "a fork keeps the results of earlier steps and runs the others again",
  prepare: () => {
    const ran: string[] = [];
    const note = (name: string): string => (ran.push(name), name);
    const flow = workflow("fork", {}, (w) => {
      const extract = w.step("extract", () => note("extract"));
      const load = w.step("load", { needs: { extract } }, ({ needs }) => `${needs.extract} ${note("load")}`);
      return w.step("publish", { needs: { load } }, ({ needs }) => `${needs.load} ${note("publish")}`);
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const origin = await stage.start(flow);
        expect(await origin.result()).toBe("extract load publish");
        const forked = await stage.fork(origin, { from: "load" });
        expect(await forked.result()).toBe("extract load publish");
        expect(ran).toEqual(["extract", "load", "publish", "load", "publish"]);
        expect(await stage.story(forked, "extract")).toEqual(["StepCompleted 1"]);
      },
    };
  },
};
