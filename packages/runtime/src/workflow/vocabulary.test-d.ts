/** Every step kind: parameters and outputs are inferred without annotations. */
import {
  connect,
  workflow,
  type ArtifactRef,
  type InputOf,
  type Items,
  type Json,
  type ResultOf,
  type Settled,
  type SignalsOf,
} from "runledger";
import { expectTypeOf } from "vitest";
import { z } from "zod";

interface Row {
  id: string;
  amount: number;
  note?: string;
  at: string;
}
declare const rows: Row[];

const orders = z.object({ orders: z.array(z.string()), dry: z.boolean().default(false) });
const billing = workflow("billing", { version: "1", input: orders }, (w) =>
  w.step("bill", ({ input }) => {
    expectTypeOf(input.dry).toEqualTypeOf<boolean>();
    return { billed: input.orders.length, dry: input.dry };
  }),
);
expectTypeOf<InputOf<typeof billing>>().toEqualTypeOf<{ orders: string[]; dry?: boolean | undefined }>();
expectTypeOf<ResultOf<typeof billing>>().toEqualTypeOf<{ billed: number; dry: boolean }>();

const ping = workflow("ping", {}, (w) => w.step("ping", () => "pong" as const));
expectTypeOf<ResultOf<typeof ping>>().toEqualTypeOf<"pong">();

const silent = workflow("silent", { version: "1" }, (w) => {
  w.step("x", () => {});
});
expectTypeOf<ResultOf<typeof silent>>().toEqualTypeOf<null>();

export const all = workflow(
  "all",
  {
    version: "2.0.0",
    input: z.object({ day: z.string(), n: z.coerce.number() }),
    signals: { approve: z.object({ by: z.string() }), stop: z.object({}) },
    state: {
      schema: z.object({ cursor: z.string().nullable(), seen: z.number() }),
      initial: { cursor: null, seen: 0 },
    },
  },
  (w) => {
    // sync, async, mixed, nothing
    const sync = w.step("sync", ({ input, state, patch }) => {
      expectTypeOf(input.n).toEqualTypeOf<number>();
      patch({ seen: state.seen + input.n, cursor: null });
      return { rows };
    });
    const asynchronous = w.step("async", async ({ signal, log }) => {
      signal.throwIfAborted();
      log("x");
      return { tables: ["a"], rows };
    });
    const mixed = w.step("mixed", { timeout: "5s" }, () => (rows.length > 1 ? Promise.resolve(rows) : rows));
    const nothing = w.step("nothing", { after: [sync] }, async () => {});
    const early = w.step("early", async () => (rows.length > 2 ? null : [{ a: 1 }]));

    // needs, several and renamed; continueOnFailure makes it optional
    const retry = { attempts: 2, unless: ["BAD_INPUT"] };
    const soft = w.step("soft", { continueOnFailure: true, retry }, () => ({ n: 1 }));
    const join = w.step(
      "join",
      { needs: { a: sync, b: asynchronous, mixed, nothing, soft, early } },
      ({ needs: { a, b, ...needs } }) => {
        expectTypeOf(a.rows).toEqualTypeOf<Row[]>();
        expectTypeOf(b.tables).toEqualTypeOf<string[]>();
        expectTypeOf(needs.mixed).toEqualTypeOf<Row[]>();
        expectTypeOf(needs.nothing).toEqualTypeOf<null>();
        expectTypeOf(needs.soft).toEqualTypeOf<{ n: number } | undefined>();
        expectTypeOf(needs.early).toEqualTypeOf<{ a: number }[] | null>();
        return { total: a.rows.length };
      },
    );

    // compensate reads the output: after the handler
    const charge = w.step(
      "charge",
      { needs: { join } },
      ({ needs, idempotencyKey }) => ({ chargeId: idempotencyKey, amount: needs.join.total }),
      {
        compensate: async ({ output, needs }) => {
          expectTypeOf(output).toEqualTypeOf<{ chargeId: string; amount: number }>();
          expectTypeOf(needs.join.total).toEqualTypeOf<number>();
        },
      },
    );

    // forEach: item type, nested, items by Promise; reading it is an async iterable
    const each = w.forEach(
      "tables",
      { needs: { asynchronous }, items: ({ needs }) => needs.asynchronous.tables, concurrency: 8 },
      (w) => {
        const one = w.step("one", ({ item, index, input }) => {
          expectTypeOf(item).toEqualTypeOf<string>();
          expectTypeOf(index).toEqualTypeOf<number>();
          return { name: item, index, day: input.day };
        });
        return w.step("two", { needs: { one } }, ({ needs, item }) => ({ len: item.length + needs.one.index }));
      },
    );
    const objects = w.forEach(
      "objects",
      { needs: { sync }, items: async ({ needs }) => needs.sync.rows.map((row) => ({ row, twice: row.amount * 2 })) },
      (w) =>
        w.step("s", ({ item }) => {
          expectTypeOf(item).toEqualTypeOf<{ row: Row; twice: number }>();
          return item.row.amount + item.twice;
        }),
    );
    const nested = w.forEach("outer", { items: () => [1, 2, 3] }, (w) =>
      w.forEach("inner", { items: ({ item }) => ["x".repeat(item)] }, (w) => w.step("leaf", ({ item }) => item)),
    );
    const sum = w.step("sum", { needs: { each, objects, nested } }, async ({ needs }) => {
      expectTypeOf(needs.each).toEqualTypeOf<Items<{ len: number }>>();
      expectTypeOf(needs.objects).toEqualTypeOf<Items<number>>();
      expectTypeOf(needs.nested).toEqualTypeOf<Items<Items<string>>>();
      let total = 0;
      for await (const { len } of needs.each) total += len;
      for await (const inner of needs.nested) for await (const leaf of inner) total += leaf.length;
      return { total, all: await needs.objects.toArray() };
    });

    // when
    const big = w.when(
      "big",
      { needs: { sum }, if: ({ needs }) => needs.sum.total > 10 },
      (w) => w.step("yes", () => ({ kind: "big" as const })),
      (w) => w.step("no", () => ({ kind: "small" as const, why: "x" })),
    );
    const only = w.when("only", { if: ({ input }) => input.n > 1 }, (w) =>
      w.step("y", { needs: { sum } }, ({ needs }) => needs.sum.total),
    );
    w.step("after-when", { needs: { big, only } }, ({ needs }) => {
      expectTypeOf(needs.big).toEqualTypeOf<{ kind: "big" } | { kind: "small"; why: string }>();
      expectTypeOf(needs.only).toEqualTypeOf<number | null>();
    });

    // repeat: `until` reads the body's output
    const polled = w.repeat(
      "poll",
      { needs: { charge }, max: 100, delay: "30s" },
      (w) => w.step("check", ({ iteration }) => ({ done: iteration > 3, at: "x" })),
      ({ output, needs, iteration }) => {
        expectTypeOf(iteration).toEqualTypeOf<number>();
        return output.done || needs.charge.amount > iteration;
      },
    );

    // signals: declared in the header, with a schema of the wait's own, or any JSON
    const approve = w.waitForSignal("approve", { after: [each], timeout: "3d" });
    const maybe = w.waitForSignal("approve", { id: "approve-again", timeout: "3d", onTimeout: "continue" });
    const schema = z.object({ k: z.number() });
    const inline = w.waitForSignal("adhoc", { schema, timeout: "1h", onTimeout: "continue" });
    const raw = w.waitForSignal("raw");
    w.step("signals", { needs: { approve, maybe, inline, raw, polled } }, ({ needs }) => {
      expectTypeOf(needs.approve).toEqualTypeOf<{ by: string }>();
      expectTypeOf(needs.maybe).toEqualTypeOf<{ by: string } | null>();
      expectTypeOf(needs.inline).toEqualTypeOf<{ k: number } | null>();
      expectTypeOf(needs.raw).toEqualTypeOf<Json>();
      expectTypeOf(needs.polled).toEqualTypeOf<{ done: boolean; at: string }>();
    });

    const passedOn = w.step("pass-on", { needs: { raw } }, ({ needs }) => ({ payload: needs.raw, at: rows[0]?.at }));
    w.step("read-on", { needs: { passedOn } }, ({ needs }) => {
      expectTypeOf(needs.passedOn).toEqualTypeOf<{ payload: Json; at: string | undefined }>();
    });

    // children, sleep
    const child = w.child("bill", billing, {
      needs: { asynchronous },
      input: ({ needs }) => ({ orders: needs.asynchronous.tables }),
    });
    const pong = w.child("ping", ping);
    w.sleep("cool", { after: [child], for: "1h" });
    w.sleep("until", { needs: { sync }, until: ({ needs }) => needs.sync.rows[0]?.at ?? "" });

    // sql, http, command
    const counted = w.sql("count", {
      needs: { child },
      text: "select count(*)::int as n from t where day = $1 and k > $2",
      params: ({ input, needs }) => [input.day, needs.child.billed],
      row: z.object({ n: z.number() }),
    });
    const loose = w.sql("loose", { text: "select 1" });
    const called = w.http("call", {
      needs: { counted },
      request: ({ needs }) => ({ method: "POST", url: "https://example.com", body: { n: needs.counted[0]?.n ?? 0 } }),
      body: z.object({ ok: z.boolean() }),
      retry: { attempts: 3 },
    });
    const fixed = w.command("dbt", { run: ["dbt", "build"], timeout: "2h" });
    const dynamic = w.command("dbt2", {
      needs: { called },
      run: ({ input, needs }) => ["dbt", "build", "--vars", JSON.stringify([input.day, needs.called.body.ok])],
    });

    // custom kinds
    const built = w.task("build", {
      kind: "dbt",
      needs: { called },
      with: ({ needs }) => ({ ok: needs.called.body.ok }),
    });

    return w.step("end", { needs: { counted, loose, called, fixed, dynamic, child, pong, built } }, ({ needs }) => {
      expectTypeOf(needs.built).toEqualTypeOf<Json>();
      expectTypeOf(needs.counted).toEqualTypeOf<readonly { n: number }[]>();
      expectTypeOf(needs.loose).toEqualTypeOf<readonly Record<string, Json>[]>();
      expectTypeOf(needs.called.body).toEqualTypeOf<{ ok: boolean }>();
      expectTypeOf(needs.called.status).toEqualTypeOf<number>();
      expectTypeOf(needs.fixed.log).toEqualTypeOf<ArtifactRef>();
      expectTypeOf(needs.dynamic.exitCode).toEqualTypeOf<number>();
      expectTypeOf(needs.pong).toEqualTypeOf<"pong">();
      return { billed: needs.child.billed, n: needs.counted[0]?.n ?? 0 };
    });
  },
);
expectTypeOf<ResultOf<typeof all>>().toEqualTypeOf<{ billed: number; n: number }>();
expectTypeOf<SignalsOf<typeof all>["approve"]>().toEqualTypeOf<{ by: string }>();

await using ledger = await connect("postgres://x");
await using worker = await ledger.worker({ workflows: [all, ping, billing, silent] });
expectTypeOf(worker.id).toEqualTypeOf<string>();
const run = await ledger.start(all, { input: { day: "d", n: 1 }, requestId: "r" });
expectTypeOf(await run.result()).toEqualTypeOf<{ billed: number; n: number }>();
await run.signal("approve", { by: "me" });
expectTypeOf(await (await ledger.start(ping)).result()).toEqualTypeOf<"pong">();
expectTypeOf(await (await ledger.get(all, "run_1")).result()).toEqualTypeOf<{ billed: number; n: number }>();

workflow("settled", {}, (w) => {
  const one = w.step("one", { settle: true }, () => 1);
  const each = w.forEach("each", { items: () => [1], settle: true }, (w) => w.step("item", ({ item }) => item));
  w.step("read", { needs: { one, each } }, ({ needs }) => {
    expectTypeOf(needs.one).toEqualTypeOf<Settled<number>>();
    expectTypeOf(needs.each).toEqualTypeOf<Settled<Items<number>>>();
  });
  w.onFailure(({ error, culprit }) => {
    expectTypeOf(error.code).toEqualTypeOf<string>();
    expectTypeOf(culprit).toEqualTypeOf<string | undefined>();
  });
});
