import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const compensation: Behavior = {
  name: "completed steps are compensated, last one first, with their outputs",
  prepare: () => {
    const undone: string[] = [];
    const flow = workflow("compensation", { compensateOn: ["failure", "cancel"] }, (w) => {
      const compensate = ({ output }: { readonly output: string }): void => void undone.push(output);
      const one = w.step("one", {}, () => "one", { compensate });
      const two = w.step("two", { after: [one] }, () => "two", { compensate });
      w.step("three", { after: [two] }, (): string => {
        throw new Error("no");
      });
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "FAILED", culprit: "three" } });
        expect(undone).toEqual(["two", "one"]);
      },
    };
  },
};
