import { workflow } from "runledger";
import { expect } from "vitest";
import type { Behavior } from "../behavior.js";

export const timeouts: Behavior = {
  name: "a step that takes too long is aborted, fails with TIMEOUT, and is retried",
  prepare: () => {
    let [started, aborted] = [0, 0];
    const options = { timeout: "300ms", retry: { attempts: 2, delay: "10ms" } } as const;
    const flow = workflow("timeouts", {}, (w) =>
      w.step("slow", options, ({ signal }) => {
        const note = (): void => void aborted++;
        started++;
        if (signal.aborted)
          note(); // a slow store may answer only after the time is over
        else signal.addEventListener("abort", note);
        return new Promise<string>(() => {});
      }),
    );
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "TIMEOUT" }, culprit: "slow" } });
        const attempt = (n: number) => [`StepStarted ${n}`, `StepFailed ${n}`];
        expect(await stage.story(run, "slow")).toEqual([...attempt(1), ...attempt(2)]);
        expect([started > 0, aborted]).toEqual([true, started]);
      },
    };
  },
};
