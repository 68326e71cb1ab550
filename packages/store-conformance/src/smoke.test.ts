import { test } from "vitest";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "../../../tests/support/fresh-database.js";
import { checkHistory, runWorkload, snapshotReplay } from "./index.js";
test("memory", async () => {
  for (let seed = 1; seed < 50; seed++) {
    const h = await runWorkload(new MemoryStore(), { seed });
    const v = checkHistory(h, { replay: snapshotReplay });
    if (seed < 3) console.log(h.operations.length, h.logs.map(l => [l.runId, l.events.length]), h.checkpoints.length, Object.entries(tally(h.operations.flatMap(o => o.kind === "append" ? o.parts.map(p => p.outcome.status === "acknowledged" ? (p.outcome.results.some(r => r.conflict) ? "conflict" : p.outcome.results.some(r => r.idempotent) ? "dup" : "ok") : (p.outcome as any).code ?? p.outcome.status) : [o.kind]))).map(([k, v]) => [k, v!.length]));
    if (!v.ok) { console.log(seed, v.violations.slice(0, 5)); throw new Error("bad"); }
  }
});
test("pg", async () => {
  for (let seed = 1; seed < 8; seed++) {
    const db = await freshDatabase();
    const store = await PostgresStore.open({ url: db.url });
    const t = performance.now();
    const h = await runWorkload(store, { seed });
    console.log(performance.now() - t);
    const v = checkHistory(h, { replay: snapshotReplay });
    if (seed < 3) console.log(h.operations.length, h.logs.map(l => [l.runId, l.events.length]), h.checkpoints.length, Object.entries(tally(h.operations.flatMap(o => o.kind === "append" ? o.parts.map(p => p.outcome.status === "acknowledged" ? (p.outcome.results.some(r => r.conflict) ? "conflict" : p.outcome.results.some(r => r.idempotent) ? "dup" : "ok") : (p.outcome as any).code ?? p.outcome.status) : [o.kind]))).map(([k, v]) => [k, v!.length]));
    if (!v.ok) { console.log(seed, v.violations.slice(0, 5)); throw new Error("bad"); }
    await store.close(); await db.drop();
  }
});
function tally(xs: string[]) { const o: Record<string, number[]> = {}; for (const x of xs) (o[x] ??= []).push(1); return o; }
