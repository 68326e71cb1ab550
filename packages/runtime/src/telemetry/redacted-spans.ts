/** Replaces secrets in spans before they are exported (S1). A step's code may put anything into a span. */
import { omitUndefined } from "@runledger/contracts";
import { redactJson } from "./process-redactors.js";
import type { ReadableSpan, SpanProcessor } from "./sdk.js";

/** Redacts a span when it ends, because the worker and its redactor may be gone when the batch is sent. */
export function redactedSpans(next: SpanProcessor): SpanProcessor {
  return {
    onStart: (span, context) => next.onStart(span, context),
    onEnd: (span) => next.onEnd(redact(span)),
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

function redact(span: ReadableSpan): ReadableSpan {
  const { name, attributes, events, links, status } = span;
  const parts = { name, attributes, events, links, status };
  const clean = redactJson(parts);
  return clean === parts ? span : { ...plainSpan(span), ...clean };
}

/** The properties of a span are partly accessors of its class. */
function plainSpan(span: ReadableSpan): ReadableSpan {
  const { name, kind, parentSpanContext, startTime, endTime, status, attributes, links, events } = span;
  const { duration, ended, resource, instrumentationScope } = span;
  const { droppedAttributesCount, droppedEventsCount, droppedLinksCount } = span;
  return {
    name,
    kind,
    startTime,
    endTime,
    status,
    attributes,
    links,
    events,
    duration,
    ended,
    resource,
    instrumentationScope,
    droppedAttributesCount,
    droppedEventsCount,
    droppedLinksCount,
    ...omitUndefined({ parentSpanContext }),
    spanContext: () => span.spanContext(),
  };
}
