// @module-tag R-41
import { readFileSync } from "node:fs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger } from "@runledger/test-support/runledger-command";
import { expect, onTestFinished, test } from "vitest";

const workflows = `import { workflow } from "runledger";
export const trip = workflow("trip", { version: "1" }, (w) => {
  const flight = w.step("flight", {}, () => "flight-17", { compensate: ({ output, log }) => log("dropped " + output) });
  w.step("car", { after: [flight] }, () => { throw new Error("no car is left"); });
});`;
const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows.js"] });`;

test("runledger compensate undoes a failed run once, and refuses a run that has not failed", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const where = { cwd, env: { RUNLEDGER_STORE: database.url } };
  const pending = await runledger(where, "run", "trip", "--json");
  const { runId } = JSON.parse(pending.stdout) as { runId: string };
  const early = await runledger(where, "compensate", runId);
  expect(early.code).not.toBe(0);
  expect(early.stderr).toContain("is PENDING, not FAILED");
  await startRunledger(where, "worker").says(/Next +npx/);
  expect((await runledger(where, "watch", runId)).code).toBe(1);
  expect(await runledger(where, "compensate", runId)).toMatchObject({ code: 0 });
  expect((await runledger(where, "watch", runId)).code).toBe(1);
  const { stdout } = await runledger(where, "events", runId, "--json");
  const types = stdout.split("\n").filter((line) => line.includes("compensate/flight"));
  expect(types.map((line) => (JSON.parse(line) as { eventType: string }).eventType)).toEqual([
    "StepStarted",
    "StepCompleted",
  ]);
  const shown = await runledger(where, "show", runId);
  expect(shown.stdout).toContain("no car is left");
});

test("the saga of the guide has fewer than 25 lines", () => {
  const [, saga = ""] = readFileSync(inRepository("docs/guides/undo.md"), "utf8").split(/```(?:ts)?\n/);
  expect(saga).toContain("compensate:");
  expect(saga.trimEnd().split("\n").length).toBeLessThan(25);
});
