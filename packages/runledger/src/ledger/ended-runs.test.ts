/** What was just written in this process is not read back; what is driven elsewhere is. */
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";
import { Ledger } from "./ledger.js";

const chain = workflow("chain", { version: "1" }, (w) => {
  const first = w.step("first", () => 20);
  return w.step("second", { needs: { first } }, ({ needs }) => needs.first + 1);
});
const failing = workflow("failing", { version: "1" }, (w) => w.step("never", () => Promise.reject(new Error("no"))));

const READS = /^(fetch|stream|checkpoints)/;

/** A ledger on a store of its own, or on another's, and the reads of its log. */
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

test("a run that is started, driven and awaited in one process reads nothing of its log", async () => {
  const { ledger, reads } = ledgerOn();
  await ledger.worker({ workflows: [chain] });
  expect(await (await ledger.start(chain)).result()).toBe(21);
  expect(reads).toEqual([]);
});

test("a failure is told as it is in the log", async () => {
  const { ledger } = ledgerOn();
  await ledger.worker({ workflows: [failing] });
  const run = await ledger.start(failing);
  await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED", snapshot: { culprit: "never" } });
});

test("who waits elsewhere reads the log; who drives the run does not", async () => {
  const store = new MemoryStore();
  const [here, elsewhere] = [ledgerOn(store), ledgerOn(store)];
  await elsewhere.ledger.worker({ workflows: [chain] });
  expect(await (await here.ledger.start(chain)).result()).toBe(21);
  expect(here.reads.length).toBeGreaterThan(0);
  expect(elsewhere.reads).toEqual([]);
});

test("who follows the events sees them while the run is driven here", async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const held = workflow("held", { version: "1" }, (w) => w.step("hold", () => gate));
  const { ledger } = ledgerOn();
  await ledger.worker({ workflows: [held] });
  const seen: string[] = [];
  for await (const { eventType } of (await ledger.start(held)).events()) {
    seen.push(eventType);
    if (eventType === "StepStarted") open(); // it would not end without having been seen
  }
  expect(seen).toEqual(["RunQueued", "RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]);
});
