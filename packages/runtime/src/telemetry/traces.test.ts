// @module-tag B-20
/** Traces of a program that has registered its own SDK. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connect, workflow, type Ledger } from "../index.js";

const exporter = new InMemorySpanExporter();
let ledger: Ledger;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  ledger = await connect("memory:");
});
afterAll(async () => {
  await ledger.close();
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

const spanOf = (name: string): ReadableSpan => exporter.getFinishedSpans().find((span) => span.name === name)!;
const parentOf = (name: string): string | undefined => spanOf(name).parentSpanContext?.spanId;

test("the context of the caller of ledger.start reaches steps, their own spans and child runs", async () => {
  const inner = workflow("inner", { version: "1" }, (w) => w.step("leaf", () => 1));
  const outer = workflow("outer", { version: "1" }, (w) => {
    const work = w.step("work", async () => {
      await Promise.resolve();
      trace.getTracer("user").startSpan("query").end();
    });
    return w.child("call", inner, { after: [work] });
  });
  await ledger.worker({ workflows: [outer, inner] });
  await trace.getTracer("user").startActiveSpan("caller", async (span) => {
    const run = await ledger.start(outer);
    span.end();
    await run.result();
  });
  const caller = spanOf("caller").spanContext();
  expect(new Set(exporter.getFinishedSpans().map((span) => span.spanContext().traceId))).toEqual(
    new Set([caller.traceId]),
  );
  expect(parentOf("start outer")).toBe(caller.spanId);
  expect(parentOf("outer work")).toBe(spanOf("start outer").spanContext().spanId);
  expect(parentOf("query")).toBe(spanOf("outer work").spanContext().spanId);
  expect(parentOf("inner leaf")).toBe(spanOf("start inner").spanContext().spanId);
});

test("a start that is refused is a span with an error, and an invalid trace is refused", async () => {
  const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));
  const start = (options: object) => ledger.start(flow, options);
  await start({ requestId: "once", input: 1 });
  await expect(start({ requestId: "once", input: 2 })).rejects.toMatchObject({ code: "REQUEST_CHANGED" });
  const refused = exporter.getFinishedSpans().at(-1)!;
  expect(refused.attributes).toMatchObject({ "error.type": "REQUEST_CHANGED" });
  await expect(start({ trace: { traceparent: "nonsense" } })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
