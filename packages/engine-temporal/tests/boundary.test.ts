// @module-tag T-03
/** The tree shows what must be deterministic: only `workflows/` runs in Temporal's sandbox. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";

const source = inRepository("packages/engine-temporal/src");
const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** The modules that the files of a folder import, without those of the folder itself. */
function importsOf(folder: string): readonly string[] {
  const files = readdirSync(join(source, folder)).map((file) => readFileSync(join(source, folder, file), "utf8"));
  const all = files.flatMap((text) => [...text.matchAll(/ from "([^"]+)"/g)].map(([, module]) => module!));
  return [...new Set(all)].filter((module) => !module.startsWith("./")).sort();
}

test("there is one folder for the sandbox, and one for each kind of code outside of it", () => {
  expect(folders.map(({ name }) => name).sort()).toEqual(["activities", "client", "worker", "workflows"]);
});

test("code in the sandbox imports pure modules only: no clock, no platform, no store", () => {
  const pure = ["decider", "event-origin", "lease-fencing", "run-context", "speculative-run"];
  expect(importsOf("workflows")).toEqual([
    "../messages.js",
    "@runledger/contracts",
    "@runledger/core",
    ...pure.map((name) => `@runledger/runtime/engine/${name}`),
    "@temporalio/workflow",
  ]);
});

test.each([
  ["activities", "@temporalio/activity"],
  ["client", "@temporalio/client"],
  ["worker", "@temporalio/worker"],
])("%s/ uses %s, and nothing of the sandbox", (folder, sdk) => {
  const imported = importsOf(folder);
  expect(imported).toContain(sdk);
  expect(imported.filter((module) => module === "@temporalio/workflow" || module.includes("workflows/"))).toEqual([]);
});

test("there is one workflow, and it decides with the core", async () => {
  expect(readFileSync(join(source, "workflows/index.ts"), "utf8").trim()).toBe(
    `export { runledgerRun } from "./runledger-run.js";`,
  );
  const execution = readFileSync(join(source, "workflows/run-execution.ts"), "utf8");
  expect(execution).toContain("newDecider(");
  const { newDecider } = await import("@runledger/runtime/engine/decider");
  const { Decider } = await import("@runledger/core");
  const plan = { planId: "p", planVersion: "1", body: { steps: [] } } as never;
  expect(newDecider(plan)).toBeInstanceOf(Decider);
});

test("steps and runners are those of the embedded engine", () => {
  expect(importsOf("activities")).toContain("@runledger/runtime/engine/run-work");
  expect(importsOf("activities")).toContain("@runledger/runtime/engine/run-log");
  expect(importsOf("worker")).toContain("@runledger/runtime/engine/runners");
});
