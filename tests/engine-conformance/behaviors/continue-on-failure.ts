import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const continueOnFailure: Behavior = {
  name: "a step with continueOnFailure or settle lets its dependents run",
  prepare: () => {
    const fails = (): number => {
      throw Object.assign(new Error("never mind"), { code: "MINOR" });
    };
    const flow = workflow("continue-on-failure", {}, (w) => {
      const soft = w.step("soft", { continueOnFailure: true }, fails);
      const settled = w.step("settled", { settle: true }, fails);
      return w.step("next", { needs: { soft, settled } }, ({ needs }) => [
        needs.soft === undefined,
        needs.settled.ok ? "" : needs.settled.error.code,
      ]);
    });
    return {
      workflows: [flow],
      play: async (stage) => expect(await (await stage.start(flow)).result()).toEqual([true, "MINOR"]),
    };
  },
};
