import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const deadline: Behavior = {
  name: "a run out of time is stopped, whether it waits or works",
  prepare: () => {
    const waits = workflow("deadline-waits", { deadline: "300ms" }, (w) => w.waitForSignal("never"));
    const works = workflow("deadline-works", { deadline: "300ms" }, (w) =>
      w.step("busy", () => new Promise<string>(() => {})),
    );
    return {
      workflows: [waits, works],
      play: async (stage) => {
        for (const flow of [waits, works]) {
          const run = await stage.start(flow);
          await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "DEADLINE_EXCEEDED" } } });
        }
      },
    };
  },
};
