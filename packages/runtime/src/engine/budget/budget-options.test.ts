// @module-tag B-10
/** The options of the latency budget are refused if they contradict rule B1. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { newEngine } from "../engine.js";
import { Ledger } from "../../ledger/ledger.js";
import type { LedgerWorkerOptions } from "../../ledger/ledger.js";
import { workflow } from "../../workflow/workflow.js";
import type { StateStoreOptions } from "./budget-options.js";

const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));
const folder = mkdtempSync(join(tmpdir(), "runledger-options-"));
const valid: StateStoreOptions = {
  writeLatencyBudgetMs: 3000,
  failOpenForEventClass: ["StepStarted"],
  neverFailOpen: ["StepCompleted", "StepFailed"],
  spool: { folder },
};

/** Starts a worker and stops it. */
async function start(stateStore: StateStoreOptions, more: Partial<LedgerWorkerOptions> = {}): Promise<void> {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = new MemoryStore();
  await using ledger = new Ledger(store, () => store.close());
  await (await ledger.worker({ workflows: [flow], stateStore, ...more })).stop();
}

test("the options of the specification are accepted, and a stopped worker leaves no lock", async () => {
  await start(valid);
  expect(readdirSync(folder)).toEqual(["0.spool"]);
});

test("a budget without events that fail open needs no spool, and no file is made", async () => {
  await start({ writeLatencyBudgetMs: 3000 });
  await start({});
});

test.each<[string, object, string]>([
  ["a completion that fails open", { failOpenForEventClass: ["StepCompleted"] }, "has StepCompleted"],
  ["a completion that may fail open", { neverFailOpen: ["StepFailed"] }, "lacks StepCompleted"],
  ["a start in both lists", { neverFailOpen: ["StepStarted", "StepCompleted", "StepFailed"] }, "has StepStarted"],
  ["starts that fail open without a spool", { spool: undefined }, "Name a folder"],
  ["starts that fail open without a limit", { writeLatencyBudgetMs: undefined }, "Set a limit"],
  ["a limit of 0", { writeLatencyBudgetMs: 0 }, "is 0"],
  ["a spool of half a byte", { spool: { folder, maxBytes: 0.5 } }, "is 0.5"],
  ["a folder that cannot be made", { spool: { folder: "/dev/null/spool" } }, "may write to"],
  ["a misspelled option", { writeLatencyBudget: 1 }, "Did you mean writeLatencyBudgetMs"],
  ["a misspelled option of the spool", { spool: { folder, maxByte: 1 } }, "Did you mean maxBytes"],
])("%s is refused", async (_, change, problem) => {
  const started = start({ ...valid, ...change });
  await expect(started).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(started).rejects.toThrow(problem);
});

test("an engine on a cluster refuses a budget", async () => {
  const engine = newEngine("cluster", { workerId: null, startWorker: () => Promise.reject(new Error("not reached")) });
  await expect(start(valid, { engine })).rejects.toThrow("needs the embedded engine");
});
