// @module-tag B-10
/** A start that fails open (B1) is counted by its outcome. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEvent } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { Ledger } from "../../ledger/ledger.js";
import { openMetrics, workflow } from "../../index.js";
import { interceptStore, type Around } from "../../testing/intercept-store.js";

const areStarts = (args: readonly unknown[]): boolean =>
  (args[0] as readonly NewEvent[]).every(({ eventType }) => eventType === "StepStarted");

test("a spooled start that the last append of the run stores is reconciled, not dropped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-budget-"));
  const store = new MemoryStore();
  const around: Around = async ({ name, args, proceed }) => {
    if (name === "appendEvents" && areStarts(args)) await new Promise((resolve) => setTimeout(resolve, 500));
    return proceed();
  };
  const ledger = new Ledger(interceptStore(store, around), () => store.close());
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  const flow = workflow("retried", { version: "1" }, (w) =>
    w.step("work", { retry: { attempts: 2, delay: "300ms", maxDelay: "300ms" } }, ({ attempt }) => {
      if (attempt === 1) throw new Error("The first attempt fails.");
      return "done";
    }),
  );
  const metrics = await openMetrics();
  const spool = { folder };
  const stateStore = { writeLatencyBudgetMs: 100, failOpenForEventClass: ["StepStarted"], spool };
  const worker = await ledger.worker({ workflows: [flow], stateStore, metrics });
  const run = await ledger.start(flow);
  expect(await run.result()).toBe("done");
  await worker.stop();
  const counted = (await metrics.expose()).split("\n").filter((line) => line.startsWith("runledger_spooled_appends"));
  const outcomes = new Set(counted.map((line) => /outcome="(\w+)"/.exec(line)?.[1]));
  expect(outcomes).toEqual(new Set(["reconciled", "spooled"]));
});
