/** Each of these must not compile. */
/* oxlint-disable typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- code that does not compile has no types */
import { connect, workflow } from "runledger";
import { z } from "zod";

const billing = workflow("billing", { input: z.object({ orders: z.array(z.string()) }) }, (w) => w.step("a", () => 1));
const input = z.object({ day: z.string() });
const signals = { approve: z.object({ by: z.string() }) };

const refused = workflow("refused", { version: "1", input, signals }, (w) => {
  const a = w.step("a", () => ({ n: 1 }));
  const b = w.step("b", () => ({ m: 1 }));
  // @ts-expect-error not in needs
  w.step("c", { needs: { a } }, ({ needs }) => needs.b.m);
  // @ts-expect-error no needs at all
  w.step("c", { timeout: "1s" }, ({ needs }) => needs.a.n);
  // @ts-expect-error no options
  w.step("c", ({ needs }) => needs.a.n);
  // @ts-expect-error wrong property
  w.step("c", { needs: { a } }, ({ needs }) => needs.a.m);
  // @ts-expect-error wrong input
  w.step("c", (ctx) => ctx.input.night);
  // @ts-expect-error a handle is not its output
  w.step("c", () => a.n);
  // @ts-expect-error a handle does not survive JSON
  w.step("c", () => a);
  // @ts-expect-error Date
  w.step("c", () => ({ at: new Date() }));
  // @ts-expect-error Date, async, nested
  w.step("c", { needs: { a } }, async ({ needs }) => ({ deep: [{ n: needs.a.n, at: new Date() }] }));
  // @ts-expect-error Map
  w.step("c", () => new Map([["a", 1]]));
  // @ts-expect-error bigint
  w.step("c", async () => ({ n: 1n }));
  // @ts-expect-error function
  w.step("c", () => ({ f: () => 1 }));
  // @ts-expect-error unknown
  w.step("c", () => JSON.parse("1") as unknown);
  // @ts-expect-error optional Date
  w.step("c", (): { at?: Date } => ({}));
  // @ts-expect-error a class with methods
  w.step("c", () => new URL("http://x"));
  // @ts-expect-error items must survive JSON
  w.forEach("e", { items: () => [new Date()] }, (w) => w.step("s", () => 1));
  // @ts-expect-error item is not outside
  w.step("c", ({ item }) => item);
  // @ts-expect-error duration
  w.step("c", { timeout: "ten minutes" }, () => 1);
  // @ts-expect-error unknown option
  w.step("c", { tiemout: "10m" }, () => 1);
  // @ts-expect-error needs takes handles
  w.step("c", { needs: { a: "a" } }, () => 1);
  const approved = w.waitForSignal("approve", { timeout: "1d" });
  const maybe = w.waitForSignal("approve", { id: "again", timeout: "1d", onTimeout: "continue" });
  // @ts-expect-error payload has no `who`
  w.step("c", { needs: { approved } }, ({ needs }) => needs.approved.who);
  // @ts-expect-error may have timed out
  w.step("c", { needs: { maybe } }, ({ needs }) => needs.maybe.by);
  const each = w.forEach("each", { items: () => [1] }, (w) => w.step("s", ({ item }) => item));
  // @ts-expect-error not an array
  w.step("c", { needs: { each } }, ({ needs }) => needs.each.length);
  // @ts-expect-error child's input
  w.child("k", billing, { input: () => ({ orders: 3 }) });
  // @ts-expect-error child's input is missing
  w.child("k", billing);
  // @ts-expect-error no shell line
  w.command("d", { run: "dbt build" });
  // @ts-expect-error binds are JSON
  w.sql("q", { text: "select $1", params: () => [new Date()] });
  return b;
});
// @ts-expect-error the parsed input does not survive JSON
workflow("z", { input: z.object({ at: z.coerce.date() }) }, (w) => w.step("a", () => 1));
// @ts-expect-error a workflow cannot return a forEach
workflow("z", {}, (w) => w.forEach("each", { items: () => [1] }, (w) => w.step("s", ({ item }) => item)));

const ledger = await connect();
// @ts-expect-error input
await ledger.start(refused, { input: { dya: "x" } });
// @ts-expect-error input missing
await ledger.start(refused);
// @ts-expect-error input missing beside options
await ledger.start(refused, { requestId: "r" });
// @ts-expect-error unknown option
await ledger.start(refused, { input: { day: "x" }, requestID: "r" });
const run = await ledger.start(refused, { input: { day: "x" } });
// @ts-expect-error unknown action
await run.act("CANCLE");
// @ts-expect-error internal
void ledger.startCompiled;
// @ts-expect-error result
(await run.result()).n.toFixed();
// @ts-expect-error payload
await run.signal("approve", { by: 3 });
// @ts-expect-error name
await run.signal("aprove", { by: "me" });
