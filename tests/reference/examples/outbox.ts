import assert from "node:assert/strict";
import { connect, inProcessBus, workflow } from "runledger";

const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "Hello."));

await using ledger = await connect("memory:");
const received: string[] = [];
let finished = () => {};
const delivered = new Promise<void>((resolve) => (finished = resolve));
const memo = inProcessBus(({ events }) => {
  received.push(...events.map(({ type }) => type));
  if (received.at(-1) === "dev.runledger.RunCompleted") finished();
});
const outbox = ledger.outbox({ buses: { memo } });
await ledger.subscriptions.put({ id: "memo", bus: { type: "memo" }, filter: { workflows: ["hello"] } });

await ledger.worker({ workflows: [hello] });
await (await ledger.start(hello)).result();
await delivered;
assert.equal(received[0], "dev.runledger.RunQueued");
await outbox.stop();
