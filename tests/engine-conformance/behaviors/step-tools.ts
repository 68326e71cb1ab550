import { workflow } from "runledger";
import { expect } from "vitest";
import { everythingOf, logOf } from "@runledger/test-support/run-workflow";
import { SECRET, type Behavior } from "../behavior.js";

export const stepTools: Behavior = {
  name: "progress is reported, logs and artifacts are stored, and secrets never are",
  prepare: () => {
    const flow = workflow("step-tools", {}, (w) => {
      const write = w.step("write", async ({ artifact, log, progress, secrets }) => {
        progress(1, 2);
        const secret = await secrets.get(SECRET.name);
        log(`connected with ${secret}`, { rows: 3 });
        console.log("printed");
        progress(2, 2);
        return { note: await artifact.write("note", "some text"), secret };
      });
      return w.step("read", { needs: { write } }, ({ needs, artifact }) => artifact.read(needs.write.note).text());
    });
    return {
      workflows: [flow],
      play: async (stage) => {
        const run = await stage.start(flow);
        expect(await run.result()).toBe("some text");
        const about = { runId: run.id, stepId: "write", attempt: 1, total: 2 };
        expect(stage.progressOf(run.id)).toEqual([
          { ...about, done: 1 },
          { ...about, done: 2 },
        ]);
        const { store } = stage.ledger;
        const lines = await logOf(store, run.id, "write");
        expect(lines.map(({ from, text }) => `${from}: ${text}`)).toEqual([
          expect.stringMatching(/^log: connected with /),
          "stdout: printed",
        ]);
        const everything = await everythingOf(store, run.id);
        expect(everything).toContain("some text");
        expect(everything).not.toContain(SECRET.value);
      },
    };
  },
};
