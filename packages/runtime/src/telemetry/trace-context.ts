/** Trace contexts in the form of W3C, as events, headers and environments of commands carry them. */
import {
  createContextKey,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
} from "@opentelemetry/api";
import { omitUndefined, sha256Hex, type TraceContext } from "@runledger/contracts";

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_TRACESTATE = 512;

/** Returns `null` if the context is not valid. */
export function toSpanContext({ traceparent, tracestate }: TraceContext): SpanContext | null {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent) ?? [];
  const traceState = tracestate === undefined ? undefined : createTraceState(tracestate);
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(parsed) ? { ...parsed, ...omitUndefined({ traceState }) } : null;
}

/** Returns `undefined` if the span belongs to no trace, as without an SDK. */
export function toTraceContext(span: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span;
  const tracestate = traceState?.serialize() ?? "";
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  return { traceparent, ...(tracestate === "" ? {} : { tracestate }) };
}

/**
 * Reads the headers of a request. An invalid context is ignored, as W3C demands. Returns `undefined` if instrumentation of
 * the server has already started a span for the request: that span is the parent.
 */
export function traceOfRequest(headers: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string" || trace.getActiveSpan() !== undefined) return undefined;
  const hasState = typeof tracestate === "string" && tracestate.length <= MAX_TRACESTATE;
  const given = { traceparent, ...(hasState ? { tracestate } : {}) };
  return toSpanContext(given) === null ? undefined : given;
}

const DERIVED = createContextKey("The trace is derived from the run's id.");

/** Returns `true` if no caller has decided whether the trace is sampled. */
export function isDerived(context: Context): boolean {
  return context.getValue(DERIVED) === true;
}

/**
 * Returns the context of a run's spans. A run without a recorded trace gets a trace id from its own id, so that all workers
 * that run its steps, on any day, contribute to one trace.
 */
export function contextOfRun(runId: string, recorded: TraceContext | undefined): Context {
  const known = recorded === undefined ? null : toSpanContext(recorded);
  if (known !== null) return trace.setSpanContext(ROOT_CONTEXT, known);
  const hash = sha256Hex(`trace of ${runId}`);
  const ids = { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48), traceFlags: TraceFlags.SAMPLED };
  return trace.setSpanContext(ROOT_CONTEXT, { ...ids, isRemote: true }).setValue(DERIVED, true);
}
