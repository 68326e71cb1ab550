/** Explains why a run is queued, or what it waits for. */
import type { RunHeader, StepRow } from "@runledger/contracts";
import type { McpBackend } from "../backend.js";
import { readSteps } from "./steps.js";

const MAX_NAMED = 20;

export async function explainWait(backend: McpBackend, run: RunHeader) {
  const [{ where, reasons, position, expectedAt, owner }, { rows }] = await Promise.all([
    backend.why(run.runId),
    readSteps(backend, run.runId),
  ]);
  return {
    where,
    reasons,
    position,
    expectedAt,
    worker: owner,
    waitingSteps: rows
      .filter(({ waitsFor }) => waitsFor !== undefined)
      .slice(0, MAX_NAMED)
      .map(waitOf),
    runningSteps: named(rows.filter(({ status, waitsFor }) => status === "RUNNING" && waitsFor === undefined)),
    retryingSteps: rows
      .filter(({ retryAt }) => retryAt !== undefined)
      .slice(0, MAX_NAMED)
      .map(retryOf),
    untakenSignals: run.signals?.slice(0, MAX_NAMED).map(({ name }) => name),
  };
}

function named(rows: readonly StepRow[]) {
  return { count: rows.length, steps: rows.slice(0, MAX_NAMED).map(({ stepId }) => stepId) };
}

function waitOf({ stepId, waitsFor, startedAt, opened }: StepRow) {
  return { stepId, waitsFor, since: startedAt, until: opened?.until, childRunId: opened?.childRunId };
}

function retryOf({ stepId, retryAt, logicalAttemptId, error }: StepRow) {
  return { stepId, retryAt, failedAttempts: Number(logicalAttemptId), code: error?.code, message: error?.message };
}
