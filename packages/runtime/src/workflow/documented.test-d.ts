/** The documented samples. They must compile with the expected types. */
import { connect, workflow, type InputOf, type ResultOf, type SignalsOf } from "runledger";
import { expectTypeOf } from "vitest";
import { z } from "zod";

interface Row {
  id: string;
  amount: number;
  note?: string;
}
declare function pull(day: string): Promise<{ rows: Row[] }>;
declare function save(rows: Row[], key: unknown): Promise<{ tables: string[] }>;
declare function analyze(table: string): Promise<{ table: string; n: number }>;
declare function announce(by: string): { ok: true };

export const fanOut = workflow(
  "nightly-orders",
  { version: "1.4.0", input: z.object({ day: z.string() }), signals: { release: z.object({ by: z.string() }) } },
  (w) => {
    const extract = w.step("extract", ({ input }) => pull(input.day));
    const load = w.step(
      "load",
      { needs: { extract }, retry: { attempts: 5 }, timeout: "10m" },
      ({ needs, idempotencyKey }) => save(needs.extract.rows, idempotencyKey),
    );
    const each = w.forEach(
      "tables",
      { needs: { load }, items: ({ needs }) => needs.load.tables, concurrency: 8 },
      (w) => w.step("analyze", ({ item }) => analyze(item)),
    );
    const release = w.waitForSignal("release", { after: [each], timeout: "3d" });
    return w.step("publish", { needs: { release } }, ({ needs }) => announce(needs.release.by)); // the workflow's output
  },
);
expectTypeOf<ResultOf<typeof fanOut>>().toEqualTypeOf<{ ok: true }>();
expectTypeOf<InputOf<typeof fanOut>>().toEqualTypeOf<{ day: string }>();
expectTypeOf<SignalsOf<typeof fanOut>>().toEqualTypeOf<{ readonly release: { by: string } }>();

const nightly = workflow(
  "nightly-orders",
  { version: "1.4.0", input: z.object({ day: z.string() }), signals: { release: z.object({ by: z.string() }) } },
  (w) => {
    const extract = w.step("extract", ({ input }) => pull(input.day));
    const load = w.step(
      "load",
      { needs: { extract }, retry: { attempts: 5 }, timeout: "10m" },
      ({ needs, idempotencyKey }) => save(needs.extract.rows, { idempotencyKey }),
    );
    const release = w.waitForSignal("release", { after: [load], timeout: "3d" });
    return w.step("publish", { needs: { release } }, ({ needs }) => announce(needs.release.by));
  },
);

const ledger = await connect(); // embedded PostgreSQL in .runledger; connect("postgres://…") for yours
const worker = await ledger.worker({ workflows: [nightly] });

const run = await ledger.start(nightly, { input: { day: "2026-11-14" }, requestId: "nightly-2026-11-14" });
await run.signal("release", { by: "you" }); // kept until the run waits for it
for await (const event of run.events()) console.log(event.runSeq, event.eventType, event.stepId ?? "");
const result = await run.result();
expectTypeOf(result).toEqualTypeOf<{ ok: true }>();
await worker.stop();
await ledger.close(); // or `await using`
