import { join } from "node:path";
import { connect, type CanonicalEngineEvent } from "runledger";
import { expect, test } from "vitest";
import { freshFolder, runledger, startProgram } from "../support/runledger-command.js";

const PROGRAM = "examples/crash-me/dist/main.js";
const STEP_MS = "2000";

/** Each event once, as what happened to whom. */
const story = (events: readonly CanonicalEngineEvent[]) =>
  events.map(({ eventType, stepId }) => (stepId === undefined ? eventType : `${eventType} ${stepId}`));

test("[E-20] three steps: killed with -9 between them, resumed in another process, a signal is awaited and comes, done", async () => {
  const cwd = freshFolder();
  const store = `embedded:${join(cwd, "data")}`;
  const start = () => startProgram({ cwd }, PROGRAM, join(cwd, "data"), "milestone", STEP_MS);

  const first = start(); // it runs the database as well: both die at once
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
