import assert from "node:assert/strict";
import { connect, workflow } from "runledger";

const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));

await using ledger = await connect("memory:");
const { limits, queue } = ledger;
await limits.set({ scope: "workflow", subject: "hello", maxRunning: 0, rate: { starts: 10, perMs: 60_000 } });
await limits.set({ scope: "tenant", subject: "*", maxQueued: 100, priority: 1 });
assert.equal((await limits.list()).length, 2);

await ledger.worker({ workflows: [hello] });
const run = await ledger.start(hello);
const answer = await queue.why(run.id);
assert.equal(answer.where, "queued"); // maxRunning is 0
assert.equal((await queue.list()).length, 1);
assert.equal((await queue.counts())[0]?.queued, 1);

await limits.remove({ scope: "workflow", subject: "hello" });
assert.equal(await run.result(), "hello");
