/** Runs driven in this process are not read back; runs driven elsewhere are. */
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";
import { Ledger } from "../ledger/ledger.js";

const chain = workflow("chain", { version: "1" }, (w) => {
  const first = w.step("first", () => 20);
  return w.step("second", { needs: { first } }, ({ needs }) => needs.first + 1);
});
const failing = workflow("failing", { version: "1" }, (w) => w.step("never", () => Promise.reject(new Error("no"))));

const READS = /^(fetch|stream|checkpoints)/;

/** A ledger on its own or a shared store, with a count of its log reads. */
function ledgerOn(store = new MemoryStore()): { ledger: Ledger; reads: string[] } {
  const reads: string[] = [];
  const seen = interceptStore(store, ({ name, proceed }) => {
    if (READS.test(name)) reads.push(name);
    return proceed();
  });
  const ledger = new Ledger(seen, async () => {});
  onTestFinished(() => ledger.close());
  return { ledger, reads };
}

test("a run started, driven and awaited in one process does not read its log", async () => {
  const { ledger, reads } = ledgerOn();
  await ledger.worker({ workflows: [chain] });
  expect(await (await ledger.start(chain)).result()).toBe(21);
  expect(reads).toEqual([]);
});

test("a failure is reported as recorded", async () => {
  const { ledger } = ledgerOn();
  await ledger.worker({ workflows: [failing] });
  const run = await ledger.start(failing);
  await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED", snapshot: { culprit: "never" } });
});

test("a waiter in another process reads the log; the driving process does not", async () => {
  const store = new MemoryStore();
  const [here, elsewhere] = [ledgerOn(store), ledgerOn(store)];
  await elsewhere.ledger.worker({ workflows: [chain] });
  expect(await (await here.ledger.start(chain)).result()).toBe(21);
  expect(here.reads.length).toBeGreaterThan(0);
  expect(elsewhere.reads).toEqual([]);
});

test("a follower of the events sees them while the run is driven here", async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const held = workflow("held", { version: "1" }, (w) => w.step("hold", () => gate));
  const { ledger } = ledgerOn();
  await ledger.worker({ workflows: [held] });
  const seen: string[] = [];
  for await (const { eventType } of (await ledger.start(held)).events()) {
    seen.push(eventType);
    if (eventType === "StepStarted") open(); // the run finishes only after the event was seen
  }
  expect(seen).toEqual(["RunQueued", "RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]);
});
