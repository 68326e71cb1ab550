// @module-tag B-20
import { isSpanContextValid, trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { contextOfRun, isDerived, toSpanContext, toTraceContext, traceOfRequest } from "./trace-context.js";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("a trace context", () => {
  test("becomes a span context and back", () => {
    const given = { traceparent, tracestate: "vendor=a" };
    expect(toTraceContext(toSpanContext(given)!)).toEqual(given);
    expect(toTraceContext(toSpanContext({ traceparent })!)).toEqual({ traceparent });
  });

  test.each([
    "",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    traceparent.toUpperCase(),
    `${traceparent}x`,
  ])("%j is not valid, and a request with it has no trace", (wrong) => {
    expect(toSpanContext({ traceparent: wrong })).toBeNull();
    expect(traceOfRequest({ traceparent: wrong })).toBeUndefined();
  });

  test("has no state if that is too long", () => {
    expect(traceOfRequest({ traceparent, tracestate: "a=b" })).toEqual({ traceparent, tracestate: "a=b" });
    expect(traceOfRequest({ traceparent, tracestate: `a=${"b".repeat(600)}` })).toEqual({ traceparent });
    expect(traceOfRequest({})).toBeUndefined();
  });
});

test("the trace of a run is the recorded one, or derived from its id", () => {
  const idOf = (runId: string, recorded?: { traceparent: string }) =>
    trace.getSpanContext(contextOfRun(runId, recorded))!;
  expect(idOf("run_1", { traceparent }).traceId).toBe("0af7651916cd43dd8448eb211c80319c");
  expect(idOf("run_1")).toEqual(idOf("run_1"));
  expect(idOf("run_1").traceId).not.toBe(idOf("run_2").traceId);
  expect(isSpanContextValid(idOf("run_1"))).toBe(true);
  expect(isDerived(contextOfRun("run_1", undefined))).toBe(true);
  expect(isDerived(contextOfRun("run_1", { traceparent }))).toBe(false);
});
