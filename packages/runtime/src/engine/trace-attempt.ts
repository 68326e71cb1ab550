/** Telemetry of an attempt: its span, linked to the spans of earlier attempts, and its log line. */
import { DEFAULT_TENANT, omitUndefined, readEventData, type JsonObject } from "@runledger/contracts";
import type { EventDraft, RunState, StepCommand } from "@runledger/core";
import { keyOf } from "../runs/outputs.js";
import { AttemptSpan } from "../telemetry/attempt-span.js";
import { contextOfRun } from "../telemetry/trace-context.js";
import type { RunContext } from "./run-context.js";
import { sourceOf, spansOf } from "./step-scope.js";
import type { StoreCalls } from "./store-calls.js";

/** Earlier attempts that a span links to. */
const MAX_LINKS = 10;
const ENDS = ["StepFailed", "StepCompleted"];

/** Never fails: a step that cannot be traced runs without a trace. */
export async function traceAttempt(
  context: RunContext,
  state: RunState,
  command: StepCommand,
  calls: StoreCalls,
): Promise<AttemptSpan> {
  const startedAt = Date.now();
  const { runId, workflow } = context;
  const parent = await calls.insist(() => spansOf(context)).catch(() => contextOfRun(runId, undefined));
  const { stepId, path, attempt } = command;
  const attributes = {
    "runledger.run.id": runId,
    "runledger.step.id": stepId,
    "runledger.attempt": attempt,
    "runledger.tenant.id": state.details.tenantId ?? DEFAULT_TENANT,
    "runledger.workflow.id": workflow.plan.planId,
    "runledger.workflow.version": workflow.plan.planVersion,
  };
  const facts = { workflow: workflow.plan.planId, path, attributes, startedAt };
  const span = new AttemptSpan(parent, facts);
  if (attempt > 1 && span.spanId !== undefined)
    span.link(await calls.insist(() => earlierSpans(context, command)).catch(() => []));
  return span;
}

async function earlierSpans(context: RunContext, { stepId, attempt }: StepCommand): Promise<string[]> {
  const source = sourceOf(context);
  const from = Math.max(1, attempt - MAX_LINKS);
  const attempts = Array.from({ length: attempt - from }, (_, place) => String(from + place));
  const keys = attempts.flatMap((each) => ENDS.map((type) => keyOf(source, type, each, stepId)));
  const events = await context.store.fetchByKeys(context.runId, keys);
  return events.flatMap(({ eventData }) => {
    const { spanId } = eventData as JsonObject;
    return typeof spanId === "string" ? [spanId] : [];
  });
}

/** Logs the end of an attempt. */
export function logAttempt({ runId, logger }: RunContext, state: RunState, span: AttemptSpan, draft: EventDraft): void {
  const { tenantId = DEFAULT_TENANT } = state.details;
  const { eventType, stepId = "", attempt, data } = draft;
  const trace = omitUndefined({ traceId: span.traceId, spanId: span.spanId });
  const fields = { runId, stepId, attempt: Number(attempt), tenantId, ...trace };
  if (eventType !== "StepFailed") return logger?.debug({ ...fields, result: eventType }, `Step ${stepId} finished.`);
  const { code, message } = readEventData("StepFailed", data).error;
  logger?.info({ ...fields, code }, `Attempt ${attempt} of step ${stepId} failed: ${message}`);
}

/** Ends the span, and adds its id to the event if it is exported. */
export function endTrace(span: AttemptSpan, draft: EventDraft): EventDraft {
  const { spanId } = span;
  const data = (draft.data ?? {}) as JsonObject;
  if (draft.eventType === "StepFailed") span.fail(readEventData("StepFailed", data).error.code);
  span.end();
  return spanId === undefined || !ENDS.includes(draft.eventType) ? draft : { ...draft, data: { ...data, spanId } };
}
