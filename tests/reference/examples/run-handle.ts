import assert from "node:assert/strict";
import { connect, RunFailedError, workflow } from "runledger";
import { z } from "zod";

let isBroken = true;
const deploy = workflow(
  "deploy",
  { version: "1", approval: true, signals: { go: z.object({ by: z.string() }) } },
  (w) => {
    const go = w.waitForSignal("go");
    const optional = w.step("optional", { after: [go] }, () => {
      if (isBroken) throw new Error("not today");
    });
    return w.step("end", { needs: { go }, after: [optional] }, ({ needs }) => needs.go.by);
  },
);

await using ledger = await connect("memory:");
await ledger.worker({ workflows: [deploy] });
const run = await ledger.start(deploy);
assert.ok(["ACCEPT", "QUEUE"].includes(run.admission!.answer));

await run.approve({ by: "ada", allowSelfApproval: true });
for await (const { eventType } of run.events()) if (eventType === "RunStarted") break;
await run.pause();
await run.resume();
await run.signal("go", { by: "ada" });
await assert.rejects(run.result(), RunFailedError);
await run.compensate(); // undoes completed steps; this workflow has nothing to undo
await assert.rejects(run.result(), RunFailedError);

isBroken = false;
await run.retry({ step: "optional" });
assert.equal(await run.result(), "ada");
assert.equal((await run.snapshot()).status, "COMPLETED");
const types: string[] = [];
for await (const { eventType } of run.events()) types.push(eventType);
assert.ok(types.includes("RunReopened"));

const other = await ledger.start(deploy, { requestId: "other" });
await other.act("APPROVE");
await other.skip("optional");
await other.cancel({ signalId: "cancel-once" });
await assert.rejects(other.result(), { code: "RUN_FAILED" });
assert.notEqual(other.id, run.id);
