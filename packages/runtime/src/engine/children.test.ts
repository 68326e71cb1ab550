// @module-tag R-12
/** How a parent starts its children (D9). */
import { MemoryStore } from "@runledger/store-memory";
import type { RunStart } from "@runledger/contracts";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Ledger } from "../ledger/ledger.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { childRunId } from "./children.js";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";

const inner = workflow("inner", { version: "1" }, (w) => w.step("only", () => 1));
const outer = workflow("outer", { version: "1" }, (w) => w.child("inner", inner));

test("D9: a child is started under the epoch of its parent's lease", async () => {
  const store = new MemoryStore();
  const epochs: [number | undefined, number | undefined][] = [];
  const watched = interceptStore(store, async ({ name, args, proceed }) => {
    const { parent } = (args[0] ?? {}) as Partial<RunStart>;
    if (name === "queue.startRun" && args[0] !== undefined && parent !== undefined)
      epochs.push([parent.epoch, (await store.fetchHeads([parent.runId]))[0]?.leaseEpoch]);
    return proceed();
  });
  const ledger = new Ledger(watched, async () => {});
  onTestFinished(() => ledger.close());
  const run = await ledger.start(outer);
  await store.leases.heartbeat({ workerId: "lost", ttlMs: 60_000 });
  const plans = [{ planId: "outer", planVersion: "1" }];
  await store.queue.claimRuns({ workerId: "lost", plans, logFormat: 9, limit: 1 });
  await store.leases.retireWorker("lost"); // the next owner has epoch 2
  await ledger.worker({ workflows: [inner, outer], pollMs: 20 });
  expect(await run.result()).toBe(1);
  expect(epochs).toEqual([[2, 2]]);
});

test("a step whose child refuses its input fails, and is not attempted again", async () => {
  const strict = workflow("strict", { version: "1", input: z.object({ n: z.number() }) }, (w) =>
    w.step("only", () => 1),
  );
  const wrong = workflow("wrong", { version: "1" }, (w) =>
    w.child("kid", strict, { input: () => ({ n: "1" }) as never }),
  );
  const store = new MemoryStore();
  const ledger = new Ledger(store, async () => {});
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [strict, wrong], pollMs: 20 });
  const run = await ledger.start(wrong, { runId: "run_wrong" });
  await expect(run.result()).rejects.toThrow("input.n");
  const ends = (await store.fetchEvents("run_wrong")).filter(({ eventType }) => eventType === "StepFailed");
  expect(ends).toMatchObject([{ stepId: "kid", eventData: { error: { code: "SCHEMA_MISMATCH", retryable: false } } }]);
});

test("the input of a child has no secrets, and the child's first event is marked", { tags: ["D-11"] }, async () => {
  const kid = workflow("kid", { version: "1" }, (w) => w.step("only", () => 1));
  const parent = workflow("parent", { version: "1" }, (w) =>
    w.child("kid", kid, { input: () => ({ note: "correct horse battery" }) as never }),
  );
  const store = new MemoryStore();
  const ledger = new Ledger(store, async () => {});
  onTestFinished(() => ledger.close());
  const secrets = new EnvSecrets({ RUNLEDGER_SECRET_PASSWORD: "correct horse battery" });
  await ledger.worker({ workflows: [kid, parent], pollMs: 20, secrets });
  const run = await ledger.start(parent, { runId: "run_parent" });
  await run.result();
  const [queued] = await store.fetchEvents(childRunId("run_parent", { stepId: "kid", attempt: 1 }));
  expect(queued!.eventData).toMatchObject({ input: { note: "[secret password]" }, redacted: true });
});
