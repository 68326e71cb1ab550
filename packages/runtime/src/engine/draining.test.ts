// @module-tag R-07
/** A worker that is stopped while it drives runs, on both stores. */
import type { FullStateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const homes: Readonly<Record<string, () => Promise<FullStateStore>>> = {
  memory: async () => new MemoryStore(),
  postgres: () => PostgresStore.open({ url: database.url }),
};

test.each(Object.keys(homes))(
  "Q2: a worker that is stopped before it answers an operator leaves the answer to another worker (%s)",
  async (name) => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const long = workflow("long", { version: "1" }, (w) => w.step("long", () => held.then(() => 1)));
    const store = await homes[name]!();
    const ledger = new Ledger(store, async () => {});
    onTestFinished(async () => {
      release();
      await ledger.close();
    });
    await ledger.limits.set({ scope: "overall", subject: "", maxRunning: 1 });
    const holder = await ledger.start(long);
    await ledger.worker({ workflows: [long], pollMs: 60_000 });
    await expect.poll(async () => (await holder.snapshot())?.status).toBe("RUNNING");
    const queued = await ledger.start(long, { runId: "run_queued" });

    let read = (): void => {};
    const isReading = new Promise<void>((resolve) => (read = resolve));
    let proceedReading = (): void => {};
    const mayRead = new Promise<void>((resolve) => (proceedReading = resolve));
    const slow = interceptStore(store, async (call) => {
      if (call.name === "streamEvents" && call.args[0] === "run_queued") {
        read();
        await mayRead;
      }
      return call.proceed();
    });
    const other = new Ledger(slow, async () => {});
    const drained = await other.worker({ workflows: [long], pollMs: 20 });
    await new Ledger(store, async () => {}).act("run_queued", "CANCEL"); // notifies no worker
    await isReading;
    const stopped = drained.stop();
    proceedReading();
    await stopped;
    expect((await store.queue.inspectRun("run_queued"))?.entry).toMatchObject({ acts: true, owner: null });

    await ledger.worker({ workflows: [long], pollMs: 20 });
    await expect.poll(async () => (await queued.snapshot())?.status).toBe("CANCELLED");
    release();
    expect(await holder.result()).toBe(1);
  },
);
