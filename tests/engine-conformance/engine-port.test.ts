// @module-tag T-02
/** The port between the ledger and its engines. `engine-port.all.test.ts` checks it on a cluster. */
import { readFileSync } from "node:fs";
import { embeddedEngine } from "@runledger/runtime/engine/engine";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { checkPort, startPort } from "./engine-port.js";

test("the embedded engine starts, wakes, cancels and reconciles runs when the ledger calls it", async () => {
  const store = new MemoryStore();
  const running = await startPort(embeddedEngine, store);
  onTestFinished(() => running.stop());
  await checkPort(running, store);
});

test("the ledger imports the port, and nothing that executes runs", () => {
  const ledger = readFileSync(inRepository("packages/runtime/src/ledger/ledger.ts"), "utf8");
  const imported = [...ledger.matchAll(/["']\.\.\/engine\/([\w-]+)\.js["']/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set(["children", "engine"]));
});
