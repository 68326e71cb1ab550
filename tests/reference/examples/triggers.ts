import assert from "node:assert/strict";
import { connect, workflow, type SourceFactory } from "runledger";

const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "Hello."));

await using ledger = await connect("memory:");
await ledger.worker({ workflows: [hello] });
const once: SourceFactory = {
  open: () => ({
    consume: async ({ handle, onReady, signal }) => {
      onReady();
      await handle({ headers: {}, body: '{"name":"world"}', id: "1", position: "memo@1", storedAt: Date.now() });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  }),
};
const consumers = ledger.consumers({ sources: { memo: once }, pollMs: 10 });
await ledger.triggers.put({ id: "memo", source: { type: "memo" }, workflow: "hello", from: "beginning" });
while ((await ledger.triggers.get("memo"))?.started === 0) await new Promise((resolve) => setTimeout(resolve, 10));
assert.equal((await ledger.triggers.get("memo"))?.started, 1);
await consumers.stop();
