// @module-tag B-10
import { expect, test } from "vitest";
import { runStalled } from "./stalled-run.js";
import { freshDatabase } from "@runledger/test-support/fresh-database";
test("x", async () => {
  const db = await freshDatabase();
  const r = await runStalled(db.url, null, 0);
  console.log(r.calls.filter((c)=>!/heldRuns|claimRuns/.test(c.name)).map((c)=>c.name+" "+c.types.join(",")).join("\n"), r.alerts, r.failures);
  for (const side of ["request","answer"] as const) for (let nth=1; nth<8; nth++) {
    const started = performance.now();
    const s = await runStalled(db.url, {call:"appendEvents", nth, side}, 2000);
    console.log(side, nth, Math.round(performance.now()-started), s.alerts, s.failures, s.executed, s.calls.filter((c)=>c.name==="appendEvents").map((c)=>c.types.join(",")));
  }
  expect(1).toBe(1);
});
