import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const finishedActions: Behavior = {
  name: "a failed run is retried and compensated on request, and a completed one refuses a cancel",
  prepare: () => {
    let broken = true;
    const undone: string[] = [];
    const flow = workflow("finished-actions", {}, (w) => {
      const kept = w.step("kept", {}, () => "kept", { compensate: ({ output }) => void undone.push(output) });
      return w.step("broken", { needs: { kept } }, ({ needs }) => {
        if (broken) throw new Error("not yet");
        return needs.kept;
      });
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const retried = await stage.start(flow);
        await stage.reaches(retried, "FAILED");
        const undo = await stage.start(flow);
        await stage.reaches(undo, "FAILED");
        await undo.compensate();
        await stage.has(undo, "StepCompleted", "compensate/kept");
        await stage.reaches(undo, "FAILED");
        expect(undone).toEqual(["kept"]);
        broken = false;
        await retried.retry();
        await stage.reaches(retried, "COMPLETED");
        expect(await stage.story(retried, "kept")).toHaveLength(2);
        await expect(retried.cancel()).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
      },
    };
  },
};
