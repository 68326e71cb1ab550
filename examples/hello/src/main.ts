import { connect, workflow } from "runledger";
import { z } from "zod";

const hello = workflow(
  "hello",
  { version: "1.0.0", input: z.object({ name: z.string() }), signals: { wave: z.object({ by: z.string() }) } },
  (w) => {
    const greet = w.step("greet", ({ input }) => ({ text: `Hello, ${input.name}` }));
    const wave = w.waitForSignal("wave", { after: [greet], timeout: "3d" });
    return w.step(
      "reply",
      { needs: { greet, wave }, retry: { attempts: 3 } },
      ({ needs }) => `${needs.greet.text}! ${needs.wave.by} waved.`,
    );
  },
);

await using ledger = await connect(); // an embedded PostgreSQL in .runledger, or connect("postgres://…")
await ledger.worker({ workflows: [hello] });
const run = await ledger.start(hello, { input: { name: "world" } });
await run.signal("wave", { by: "Ada" }); // stored until the run waits for it
for await (const event of run.events()) console.log(event.runSeq, event.eventType, event.stepId ?? "");
console.log(await run.result());
