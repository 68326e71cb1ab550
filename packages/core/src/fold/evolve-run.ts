import type { CanonicalEngineEvent, EventType, JsonObject, RunStatus } from "@runledger/contracts";
import { isObject } from "./merge-patch.js";
import { artifactsOf, dataOf, errorOf, text } from "./read-data.js";
import type { RunDetails, RunState } from "./run-state.js";

type RunEventType = Extract<EventType, `Run${string}`>;

/** What a run-level event changes in the header. */
export function evolveRun(state: RunState, event: CanonicalEngineEvent, type: RunEventType): RunState {
  switch (type) {
    case "RunQueued":
      return queued(state, dataOf(event));
    case "RunApproved":
      return { ...state, status: "APPROVED" };
    case "RunStarted":
      return started(state, event);
    case "RunPaused":
      return { ...state, status: "PAUSED" };
    case "RunResumed":
      return { ...state, status: "RUNNING" };
    case "RunCompleted":
      return ended(state, event, "COMPLETED");
    case "RunFailed":
      return ended(state, event, "FAILED");
    case "RunCancelled":
      return ended(state, event, "CANCELLED");
    case "RunReopened":
      return reopened(state, dataOf(event));
    case "RunTakenOver":
      return takenOver(state, dataOf(event));
  }
}

const COPIED = [
  ["logFormat", "number"],
  ["tenantId", "string"],
  ["projectId", "string"],
  ["environmentId", "string"],
  ["runRequestId", "string"],
  ["priority", "number"],
  ["concurrencyKey", "string"],
  ["labels", "object"],
  ["parent", "object"],
  ["schedule", "object"],
  ["fork", "object"],
] as const;

function queued(state: RunState, data: JsonObject): RunState {
  const details: Record<string, unknown> = { ...state.details };
  for (const [name, type] of COPIED) if (typeof data[name] === type) details[name] = data[name];
  const plan = isObject(data["plan"]) ? data["plan"] : {};
  Object.assign(details, text("planId", plan["planId"]), text("planVersion", plan["planVersion"]));
  Object.assign(details, text("startedBy", data["by"]));
  return { ...state, status: "PENDING", userState: data["state"], details: details as unknown as RunDetails };
}

function started(state: RunState, event: CanonicalEngineEvent): RunState {
  const details = {
    ...state.details,
    startedAt: state.details.startedAt ?? event.emittedAt,
    ...(event.engineRunRef === undefined ? {} : { engineRunRef: event.engineRunRef }),
    ...text("deadlineAt", dataOf(event)["deadlineAt"]),
  };
  return { ...state, status: "RUNNING", details };
}

function ended(state: RunState, event: CanonicalEngineEvent, status: RunStatus): RunState {
  const data = dataOf(event);
  const { startedAt } = state.details;
  const details = {
    ...state.details,
    completedAt: event.emittedAt,
    ...(startedAt === undefined ? {} : { totalDurationMs: duration(startedAt, event.emittedAt) }),
    ...(status === "COMPLETED" ? outcome(data) : {}),
    ...(status === "FAILED" ? { error: errorOf(data), ...text("culprit", data["culprit"]) } : {}),
  };
  return { ...state, status, details };
}

function outcome(data: JsonObject): Partial<RunDetails> {
  const output = data["output"];
  return { artifacts: artifactsOf(data), ...(output === undefined ? {} : { output }) };
}

/** Two machines may have emitted them: never below zero. */
function duration(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

/** The run waits again: what its end said no longer holds. */
function reopened(state: RunState, data: JsonObject): RunState {
  const { completedAt, totalDurationMs, error, culprit, output, deadlineAt, ...kept } = state.details;
  const details = { ...kept, artifacts: [], ...text("deadlineAt", data["deadlineAt"]) };
  return { ...state, status: "PENDING", details };
}

function takenOver(state: RunState, data: JsonObject): RunState {
  const epoch = data["epoch"];
  return typeof epoch === "number" ? { ...state, details: { ...state.details, leaseEpoch: epoch } } : state;
}
