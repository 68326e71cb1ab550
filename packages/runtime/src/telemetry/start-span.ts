/** The span of a start. The run's spans are its children, also days later and in other processes. */
import { context, SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";
import { InputError, RunledgerError, type TraceContext } from "@runledger/contracts";
import { SCOPE } from "./instruments.js";
import { toSpanContext, toTraceContext } from "./trace-context.js";

/** Calls `start` with the context that the run records: `undefined` if the caller has none and traces are not collected. */
export async function traceStart<T>(
  { workflow, attributes, parent }: { workflow: string; attributes: Attributes; parent: TraceContext | undefined },
  start: (recorded: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const options = { kind: SpanKind.PRODUCER, attributes };
  const span = trace.getTracer(SCOPE).startSpan(`start ${workflow}`, options, contextOf(parent));
  try {
    return await start(toTraceContext(span.spanContext()));
  } catch (error) {
    const code = error instanceof RunledgerError ? error.code : "UNEXPECTED";
    span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function contextOf(parent: TraceContext | undefined) {
  if (parent === undefined) return context.active();
  const known = toSpanContext(parent);
  if (known !== null) return trace.setSpanContext(context.active(), known);
  throw new InputError("OPTION_INVALID", "trace.traceparent", `${parent.traceparent} is not a traceparent of W3C.`);
}
