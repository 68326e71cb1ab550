import { workflow } from "runledger";
import { z } from "zod";
import { analyze, pull, save } from "../warehouse.js";

/** Waits for an operator's approval before it starts, and for a release before it publishes. */
export const nightlyOrders = workflow(
  "nightly-orders",
  {
    version: "1.0.0",
    input: z.object({ day: z.iso.date() }),
    signals: { release: z.object({ by: z.string() }) },
    approval: true,
  },
  (w) => {
    const extract = w.step("extract", async ({ input }) => ({ orders: await pull(input.day) }));
    const load = w.step(
      "load",
      { needs: { extract }, retry: { attempts: 5, delay: "100ms" }, timeout: "10m" },
      async ({ needs, idempotencyKey, attempt }) => ({
        tables: await save(needs.extract.orders, idempotencyKey, attempt),
      }),
    );
    const tables = w.forEach(
      "tables",
      { needs: { load }, items: ({ needs }) => needs.load.tables, concurrency: 2 },
      (w) => w.step("analyze", ({ item }) => analyze(item)),
    );
    const release = w.waitForSignal("release", { after: [tables], timeout: "3d" });
    return w.step("publish", { needs: { tables, release } }, async ({ needs }) => {
      const analyzed = await needs.tables.toArray();
      return { rows: analyzed.reduce((sum, { rows }) => sum + rows, 0), releasedBy: needs.release.by };
    });
  },
);
