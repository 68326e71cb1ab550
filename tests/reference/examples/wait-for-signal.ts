import assert from "node:assert/strict";
import { workflow } from "runledger";
import { testLedger } from "runledger/testing";
import { z } from "zod";

const review = workflow("review", { version: "1", signals: { decision: z.object({ ok: z.boolean() }) } }, (w) => {
  const draft = w.step("draft", () => "a text");
  const decision = w.waitForSignal("decision", { after: [draft], timeout: "7d" });
  const comment = w.waitForSignal("comment", {
    id: "optional-comment",
    after: [decision],
    schema: z.object({ text: z.string() }),
    timeout: "1h",
    onTimeout: "continue",
  });
  return w.step("end", { needs: { decision, comment } }, ({ needs }) => ({
    ok: needs.decision.ok,
    comment: needs.comment?.text ?? "none",
  }));
});

await using ledger = await testLedger({ workflows: [review] });
const run = await ledger.start(review);
await ledger.advance("2d");
await run.signal("decision", { ok: true });
await ledger.advance("2h");
assert.deepEqual(await run.result(), { ok: true, comment: "none" });
