import { workflow } from "runledger";
import { z } from "zod";

/**
 * Runs a step, waits for a signal, and runs another step. Kill the process at any time: the run resumes where it left off.
 * Set `version` before you deploy it. Without one, every change of the steps is a new version.
 */
export const welcome = workflow(
  "welcome",
  { input: z.object({ name: z.string() }), signals: { confirm: z.object({ by: z.string() }) } },
  (w) => {
    const greet = w.step("greet", { retry: { attempts: 3 } }, ({ input }) => ({ text: `Hello, ${input.name}` }));
    const confirm = w.waitForSignal("confirm", { after: [greet], timeout: "3d" });
    return w.step(
      "reply",
      { needs: { greet, confirm } },
      ({ needs }) => `${needs.greet.text}, says ${needs.confirm.by}`,
    );
  },
);
