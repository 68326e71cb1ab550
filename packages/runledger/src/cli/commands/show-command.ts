import type { Command } from "commander";
import { omitUndefined } from "@runledger/contracts";
import { evolve, initialState, toRunSnapshot, type RunState } from "@runledger/core";
import type { Backend } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import type { GlobalOptions } from "../global-options.js";
import { failureLines } from "../render/failure-lines.js";
import { nextFor } from "../render/next-command.js";
import { renderTree } from "../render/render-tree.js";
import { factLines, resultLines } from "../render/run-facts.js";
import { print, printJson, printNext } from "../render/terminal.js";
import { FailedAttempts } from "../render/tree-view.js";

export function addShowCommand(program: Command): void {
  program
    .command("show <run>")
    .summary("show a run as it is now: its steps, errors, output and artifacts")
    .description(
      "Shows a run as it is now: its steps, errors, output and artifacts. With --json, prints the run and its steps as one " +
        "value.",
    )
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      await withRun(options, given, (backend, runId) => show(backend, runId, options));
    });
}

async function show(backend: Backend, runId: string, options: GlobalOptions): Promise<void> {
  const { state, failed } = await readState(backend, runId);
  const run = await backend.getRun(runId);
  if (options.json === true) return printJson({ ...run, steps: stepsOf(state, failed) });
  const known = await backend.planOf(state);
  const view = { state, plan: known?.plan ?? null, failed: failed.byStep, now: Date.now() };
  const failures = failureLines(state, failed.byStep);
  for (const line of [...renderTree(view), ...failures, "", ...factLines(run), ...resultLines(run)]) print(line);
  const next = nextFor(options, state, known);
  if (next !== null) printNext(next);
}

/** A failed step also has the stack and the cause of its error. */
function stepsOf(state: RunState, { byStep }: FailedAttempts) {
  return toRunSnapshot(state).steps.map((step) => {
    const { stack, cause } = step.status === "FAILED" ? (byStep.get(step.stepId)?.failure ?? {}) : {};
    return { ...step, ...omitUndefined({ stack, cause }) };
  });
}

async function readState(backend: Backend, runId: string) {
  const failed = new FailedAttempts();
  let state = initialState(runId);
  for await (const events of backend.readEvents(runId))
    for (const event of events) {
      failed.add(event);
      state = evolve(state, event);
    }
  return { state, failed };
}
