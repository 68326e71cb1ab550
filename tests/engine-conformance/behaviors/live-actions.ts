import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const liveActions: Behavior = {
  name: "operators retry and skip steps of a running run",
  prepare: () => {
    let broken = true;
    const flow = workflow("live-actions", {}, (w) => {
      const fixed = w.step("fixed", () => {
        if (broken) throw new Error("not yet");
        return "fixed";
      });
      const skipped = w.step("skipped", (): string => {
        throw new Error("never");
      });
      w.step("beside", { after: [skipped] }, () => "beside");
      w.waitForSignal("finish");
      return w.step("last", { needs: { fixed } }, ({ needs }) => needs.fixed);
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        for (const step of ["last", "beside"]) await stage.has(run, "StepSkipped", step);
        await stage.has(run, "StepStarted", "finish");
        broken = false;
        await run.retry({ step: "fixed" });
        await stage.has(run, "StepCompleted", "last");
        await run.skip("skipped");
        await stage.has(run, "StepCompleted", "beside");
        await stage.ledger.signal(run.id, "finish", null);
        expect(await run.result()).toBe("fixed");
      },
    };
  },
};
