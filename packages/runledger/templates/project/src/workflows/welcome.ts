import { workflow } from "runledger";
import { z } from "zod";

/** Two steps around a wait: kill the process at any moment, and the run goes on where it was. */
export const welcome = workflow(
  "welcome",
  { version: "1.0.0", input: z.object({ name: z.string() }), signals: { confirm: z.object({ by: z.string() }) } },
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
