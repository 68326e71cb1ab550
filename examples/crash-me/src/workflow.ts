import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { z } from "zod";

/** Runs two slow steps, waits for a signal, and runs a last step. */
export const crashMe = workflow(
  "crash-me",
  {
    version: "1.0.0",
    input: z.object({ stepMs: z.number() }),
    signals: { finish: z.object({ by: z.string() }) },
  },
  (w) => {
    const one = w.step("one", async ({ input }) => {
      await sleep(input.stepMs);
      return { doneBy: process.pid };
    });
    const two = w.step("two", { after: [one] }, async ({ input }) => {
      await sleep(input.stepMs);
      return { doneBy: process.pid };
    });
    const finish = w.waitForSignal("finish", { after: [two] });
    return w.step("three", { needs: { one, two, finish } }, ({ needs }) => ({
      oneDoneBy: needs.one.doneBy,
      twoDoneBy: needs.two.doneBy,
      finishedBy: needs.finish.by,
    }));
  },
);
