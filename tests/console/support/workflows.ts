/** Workflows that resemble real pipelines. */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { z } from "zod";

const tables = ["customers", "invoices", "lines", "orders", "products", "refunds"];

/** Retries once, processes items, and waits for a person. */
export const nightly = workflow(
  "nightly-orders",
  {
    version: "1.4.0",
    input: z.object({ day: z.string() }),
    signals: { release: z.object({ by: z.string(), note: z.string().optional() }) },
    state: { schema: z.object({ loaded: z.number() }), initial: { loaded: 0 } },
  },
  (w) => {
    const extract = w.step("extract", async ({ input, log }) => {
      log("pulling orders", { day: input.day });
      await sleep(120);
      log("pulled", { rows: 1234 });
      return { rows: 1234, day: input.day };
    });
    const load = w.step(
      "load",
      { needs: { extract }, retry: { attempts: 5, delay: "60ms" } },
      async ({ needs, attempt, patch }) => {
        await sleep(90);
        if (attempt === 1) throw new Error("warehouse did not answer within 1500 ms\n    at load (warehouse.ts:42)");
        patch({ loaded: needs.extract.rows });
        return { tables, saved: needs.extract.rows };
      },
    );
    const analyze = w.forEach(
      "tables",
      { needs: { load }, items: ({ needs }) => needs.load.tables, concurrency: 2 },
      (w) =>
        w.step("analyze", async ({ item }) => {
          await sleep(40 + item.length * 6);
          return { table: item, rows: item.length * 100 };
        }),
    );
    const release = w.waitForSignal("release", { after: [analyze], timeout: "3d" });
    return w.step("publish", { needs: { load, release } }, ({ needs }) => ({
      saved: needs.load.saved,
      by: needs.release.by,
    }));
  },
);

/** Fails until the test repairs its dependency. */
export const repaired = { invoices: false };
export const invoices = workflow("invoice-sync", { version: "2.1.0" }, (w) => {
  const fetched = w.step("fetch", async () => {
    await sleep(50);
    return { invoices: 12 };
  });
  const check = w.step("check", { needs: { fetched } }, async ({ needs }) => {
    await sleep(30);
    if (!repaired.invoices)
      throw new Error(`invoice 7 of ${needs.fetched.invoices} has no customer (column customer_id is null)`);
    return { valid: needs.fetched.invoices };
  });
  const post = w.step("post", { needs: { check } }, ({ needs }) => ({ posted: needs.check.valid }));
  return w.step("notify", { needs: { post } }, ({ needs }) => needs.post.posted);
});

/** Starts after approval. */
export const payout = workflow("payout", { version: "3.0.0", approval: true }, (w) =>
  w.step("pay", async ({ artifact, log }) => {
    log("paying", { suppliers: 3 });
    await artifact.write("receipt", "paid 3 suppliers\n");
    return { paid: 3 };
  }),
);

/** Prints a line, and another one after the test releases it. */
export const silence = { end: (): void => {} };
export const chatty = workflow("chatty", { version: "1.0.0" }, (w) =>
  w.step("talk", async ({ log }) => {
    log("the first half");
    await new Promise<void>((resolve) => (silence.end = resolve));
    log("the second half");
    return null;
  }),
);

const rows = Object.fromEntries(Array.from({ length: 900 }, (_, row) => [`row_${row}`, { row, tags: ["a", "b"] }]));

/** Has an output, a log and an error that do not fit on a screen. */
export const bulky = workflow("bulky", { version: "1.0.0" }, (w) => {
  const collect = w.step("collect", () => ({ rows, text: "x".repeat(100_000) }));
  return w.step("explain", { after: [collect] }, async ({ log, artifact }) => {
    for (let line = 0; line < 300; line++) log(`line ${line}`);
    await artifact.write("dump", "everything");
    throw new Error(Array.from({ length: 200 }, (_, frame) => `at frame ${frame} (module-${frame}.ts:1:1)`).join("\n"));
  });
});

/** Completes quickly and never fails. */
export const heartbeat = workflow("heartbeat", { version: "1.0.0" }, (w) =>
  w.step("ping", async () => {
    await sleep(20);
    return "pong";
  }),
);
