/** Explains why a run failed, and what a retry would run again. Reads only: it sends no action, not even a preview. */
import {
  errorCodes,
  readEventData,
  type CanonicalEngineEvent,
  type ErrorCause,
  type ErrorCode,
  type RunError,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import { judgeAction, stepsToRetry } from "@runledger/core";
import type { McpBackend } from "../backend.js";
import { readSteps, stateOf, type KnownSteps } from "./steps.js";

const MAX_NAMED = 50;
const MAX_FRAMES = 10;
const MAX_CAUSES = 5;
const MAX_ATTEMPTS = 10;

export async function explainFailure(backend: McpBackend, run: RunHeader) {
  const known = await readSteps(backend, run.runId);
  const { error, culprit } = run;
  const step = culprit === undefined ? undefined : await explainStep(backend, run.runId, culprit);
  return {
    error: error && errorOf(error),
    culprit,
    step,
    otherFailedSteps: otherFailures(known.rows, culprit),
    retry: retryOf(run, known),
  };
}

/** Names the reaction to an error code of Runledger. Codes of steps are chosen by their authors. */
function errorOf({ code, message, retryable }: RunError) {
  const isOurs = Object.hasOwn(errorCodes, code);
  const family = isOurs ? errorCodes[code as ErrorCode] : undefined;
  return { code, message, retryable, family, help: isOurs ? `runledger explain ${code}` : undefined };
}

async function explainStep(backend: McpBackend, runId: string, stepId: string) {
  const { step, events } = await backend.getStep(runId, stepId);
  const failures = events.filter(({ eventType }) => eventType === "StepFailed");
  const last = failures.at(-1);
  const data = last && readEventData("StepFailed", last.eventData);
  return {
    stepId,
    status: step.status,
    attempts: Number(step.logicalAttemptId),
    takeOvers: step.takeOvers,
    startedAt: step.startedAt,
    completedAt: step.completedAt,
    error: data && errorOf(data.error),
    stack: data?.stack?.split("\n").slice(0, MAX_FRAMES),
    causes: causesOf(data?.cause),
    failedAttempts: failures.slice(-MAX_ATTEMPTS).map(attemptOf),
  };
}

function attemptOf({ logicalAttemptId, emittedAt, eventData }: CanonicalEngineEvent) {
  const { error } = readEventData("StepFailed", eventData);
  return { attempt: Number(logicalAttemptId ?? 1), at: emittedAt, code: error.code, message: error.message };
}

function causesOf(first: ErrorCause | undefined) {
  const causes: { code: string | undefined; message: string }[] = [];
  for (let cause = first; cause !== undefined && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push({ code: cause.code, message: cause.message });
  return causes;
}

function otherFailures(rows: readonly StepRow[], culprit: string | undefined) {
  const failed = rows.filter((row) => row.status === "FAILED" && row.stepId !== culprit && row.culprit === undefined);
  const named = failed.slice(0, MAX_NAMED).map(({ stepId, error }) => ({ stepId, code: error?.code }));
  return { count: failed.length, steps: named };
}

/** Judges as the engine does. A policy of the server may still refuse the retry. */
function retryOf(run: RunHeader, { rows, isComplete }: KnownSteps) {
  const state = stateOf(run, rows);
  const verdict = judgeAction(state, { name: "RETRY_RUN", signalId: "preview" });
  if (!verdict.accepted) return { possible: false, reason: verdict.reason };
  const again = new Set(stepsToRetry(state));
  const kept = rows.filter(({ stepId, status }) => status === "SUCCESS" && !again.has(stepId)).length;
  const named = [...again].slice(0, MAX_NAMED);
  return { possible: true, runsAgain: named, runsAgainCount: again.size, keptCount: kept, complete: isComplete };
}
