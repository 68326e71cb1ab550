import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const signals: Behavior = {
  name: "an early signal is kept, a duplicate counts once, and a late one is rejected",
  prepare: () => {
    const flow = workflow("signals", {}, (w) => {
      const first = w.waitForSignal("first");
      const early = w.waitForSignal("early", { after: [first] });
      const again = w.waitForSignal("early", { id: "again", after: [early], timeout: "200ms", onTimeout: "continue" });
      return w.step("all", { needs: { first, early, again } }, ({ needs }) => [needs.first, needs.early, needs.again]);
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await stage.has(run, "StepStarted", "first");
        for (let copy = 0; copy < 2; copy++)
          await stage.ledger.signal(run.id, "early", 2, { signalId: "the-early-one" });
        await stage.ledger.signal(run.id, "first", 1);
        expect(await run.result()).toEqual([1, 2, null]);
        const late = stage.ledger.signal(run.id, "early", 3);
        await expect(late).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
        const types = (await stage.events(run)).map(({ eventType }) => eventType);
        expect(types.filter((type) => type === "SignalAccepted")).toHaveLength(2);
        expect(types.filter((type) => type === "SignalRejected")).toHaveLength(1);
      },
    };
  },
};
