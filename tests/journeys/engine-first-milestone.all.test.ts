// @module-tag E-20
import { join } from "node:path";
import { connect, type CanonicalEngineEvent } from "runledger";
import { expect, test } from "vitest";
import { freshFolder, runledger, startProgram } from "@runledger/test-support/runledger-command";

const PROGRAM = "examples/crash-me/dist/main.js";
const STEP_MS = "2000";

/** Event types with their steps. */
const story = (events: readonly CanonicalEngineEvent[]) =>
  events.map(({ eventType, stepId }) => (stepId === undefined ? eventType : `${eventType} ${stepId}`));

test("a run that is killed between steps resumes in another process, waits for a signal and completes", async () => {
  const cwd = freshFolder();
  const store = `embedded:${join(cwd, "data")}`;
  const start = () => startProgram({ cwd }, PROGRAM, join(cwd, "data"), "milestone", STEP_MS);

  const first = start(); // it also runs the database, so both die together
  await first.says("StepStarted    two");
  first.kill("SIGKILL");
  expect(await first.ended).toEqual({ code: null, signal: "SIGKILL" });

  const second = start();
  const runId = await second.says(/run_\w+/);
  expect(first.output).toContain(runId);
  await second.says("StepStarted    finish");
  const sent = await runledger({ cwd }, "signal", runId, "finish", `{"by":"the test"}`, "--store", store);
  expect(sent).toMatchObject({ code: 0 });
  expect(await second.ended).toEqual({ code: 0, signal: null });

  await using ledger = await connect(store);
  expect(story(await ledger.store.fetchEvents(runId))).toEqual([
    "RunQueued",
    "RunStarted",
    "StepStarted one",
    "StepCompleted one",
    "StepStarted two",
    "RunTakenOver",
    "StepCompleted two",
    "StepStarted finish",
    "SignalAccepted",
    "StepCompleted finish",
    "StepStarted three",
    "StepCompleted three",
    "RunCompleted",
  ]);
  expect(second.output).toContain(`oneDoneBy: ${first.pid}, twoDoneBy: ${second.pid}, finishedBy: 'the test'`);
});
