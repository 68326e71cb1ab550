import { describe, expect, test } from "vitest";
import { appendParts } from "./append-parts.js";

const drafts = (count: number, size = 0) =>
  Array.from({ length: count }, (_, n) => ({
    eventType: "StepCompleted",
    attempt: "1",
    stepId: `s${n}`,
    data: { x: "x".repeat(size) },
  }));
const sizes = (parts: readonly (readonly unknown[])[]): number[] => parts.map((part) => part.length);

describe("parts of an append", () => {
  test("a store without limits gets everything in one call", () => {
    expect(sizes(appendParts(drafts(500), { maxEventsPerRunAndCall: null }))).toEqual([500]);
    expect(sizes(appendParts([], { maxEventsPerRunAndCall: 40, maxBytesPerRunAndCall: 1000 }))).toEqual([0]);
  });

  test("parts keep the order and have at most as many events as the store accepts", () => {
    const all = drafts(95);
    const parts = appendParts(all, { maxEventsPerRunAndCall: 40 });
    expect(sizes(parts)).toEqual([40, 40, 15]);
    expect(parts.flat()).toEqual(all);
  });

  test("parts have at most as many bytes as the store accepts, and a large event has its own", () => {
    const limits = { maxEventsPerRunAndCall: 40, maxBytesPerRunAndCall: 700_000 };
    expect(sizes(appendParts(drafts(7, 200_000), limits))).toEqual([3, 3, 1]);
    expect(sizes(appendParts(drafts(3, 800_000), limits))).toEqual([1, 1, 1]);
  });
});
