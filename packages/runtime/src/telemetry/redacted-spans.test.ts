// @module-tag D-11
/** Spans that steps create, with the real SDK (S1). */
import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, onTestFinished, test } from "vitest";
import { Redactor } from "../engine/redactor.js";
import { redactedSpans } from "./redacted-spans.js";
import { addProcessRedactor } from "./process-redactors.js";

const SECRET = "copper harbor violin";
const OTHER = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  traceFlags: TraceFlags.SAMPLED,
};

function world() {
  const redactor = new Redactor();
  redactor.add("password", SECRET);
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [redactedSpans(new SimpleSpanProcessor({ exporter }))];
  const tracer = new TracerProvider({ spanProcessors }).getTracer("test");
  const stop = addProcessRedactor(redactor);
  onTestFinished(stop);
  return { exporter, tracer, stop };
}

test("a span is exported without secrets, and with all of its other data", () => {
  const { exporter, tracer } = world();
  const parent = trace.setSpanContext(ROOT_CONTEXT, OTHER);
  const links = [{ context: OTHER, attributes: { query: `q=${SECRET}` } }];
  const span = tracer.startSpan(`login ${SECRET}`, { attributes: { plain: 1, list: ["a", SECRET] }, links }, parent);
  span.addEvent(`event ${SECRET}`, { encoded: Buffer.from(SECRET).toString("base64") });
  span.recordException(new Error(`cannot log in with ${SECRET}`));
  span.setStatus({ code: SpanStatusCode.ERROR, message: SECRET }).end();
  const [sent] = exporter.getFinishedSpans();
  expect(sent).toMatchObject({
    name: "login [secret password]",
    attributes: { plain: 1, list: ["a", "[secret password]"] },
    status: { code: SpanStatusCode.ERROR, message: "[secret password]" },
    links: [{ context: OTHER, attributes: { query: "q=[secret password]" } }],
    parentSpanContext: OTHER,
    ended: true,
    instrumentationScope: { name: "test" },
  });
  expect(sent!.spanContext()).toEqual(span.spanContext());
  expect(sent!.events.map(({ name }) => name)).toEqual(["event [secret password]", "exception"]);
  expect(sent!.duration).toHaveLength(2);
  expect(JSON.stringify(sent)).not.toContain(SECRET);
});

test("a span without secrets is exported as it is, and so is every span after the worker has stopped", () => {
  const { exporter, tracer, stop } = world();
  const plain = tracer.startSpan("plain");
  plain.end();
  stop();
  tracer.startSpan(SECRET).end();
  expect(exporter.getFinishedSpans()[0]).toBe(plain);
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["plain", SECRET]);
});
