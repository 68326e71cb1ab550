// @module-tag O-21
/** How often a worker asks: as often as there may be something to claim. */
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";

const one = workflow("one", { version: "1" }, (w) => w.step("only", () => 1));
const parent = workflow("parent", { version: "1" }, (w) => w.child("inner", one));

/** A worker that polls once a minute. */
async function ledgerWithWorker(concurrency = 100): Promise<{ ledger: Ledger; claims: () => number }> {
  let claims = 0;
  const counted = interceptStore(new MemoryStore(), ({ name, proceed }) => {
    if (name === "queue.claimRuns") claims++;
    return proceed();
  });
  const ledger = new Ledger(counted, async () => {});
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [one, parent], pollMs: 60_000, concurrency });
  return { ledger, claims: () => claims };
}

test("a worker claims once for each run that is started alone, and not when it ends", async () => {
  const { ledger, claims } = await ledgerWithWorker();
  await (await ledger.start(one)).result();
  const before = claims();
  for (let run = 0; run < 5; run++) await (await ledger.start(one)).result();
  expect(claims() - before).toBe(5);
});

test("a run that waits for a key, a limit or room on a worker starts as soon as another run ends", async () => {
  const { ledger } = await ledgerWithWorker(1);
  await ledger.store.limits.setLimit({
    scope: "tenant",
    subject: "*",
    maxRunning: 1,
    maxQueued: null,
    rate: null,
    priority: null,
  });
  const both = await Promise.all([1, 2, 3].map(() => ledger.start(one, { concurrencyKey: "k" })));
  expect(await Promise.all(both.map((run) => run.result()))).toEqual([1, 1, 1]);
});

test("O2: a parent resumes as soon as its child ends", async () => {
  const { ledger } = await ledgerWithWorker();
  expect(await (await ledger.start(parent)).result()).toBe(1);
});

test("a chain of ten steps costs at most one append per step and two more, and fewer reads than steps (O3)", async () => {
  let appends = 0;
  let reads = 0;
  const counted = interceptStore(new MemoryStore(), ({ name, proceed }) => {
    if (name.startsWith("append")) appends++;
    if (name === "streamEvents") reads++;
    return proceed();
  });
  const chain = workflow("chain", { version: "1" }, (w) => {
    let last = w.step("step-0", () => 0);
    for (let at = 1; at < 10; at++) {
      const previous = last;
      last = w.step(`step-${at}`, { needs: { previous } }, ({ needs }) => needs.previous + 1);
    }
    return last;
  });
  const ledger = new Ledger(counted, async () => {});
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [chain] });
  expect(await (await ledger.start(chain)).result()).toBe(9);
  expect(appends).toBeGreaterThanOrEqual(10);
  expect(appends).toBeLessThanOrEqual(12);
  expect(reads).toBeLessThan(5);
});
