// @module-tag L-10
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { idempotencyKey, newEvent, sha256Hex } from "./index.js";

test.each([
  [
    { stepId: "model.orders", eventType: "StepStarted" },
    "6c99484df8a52a1dc3f2533b796f7257c11f57149d3fe3277d4c7ab98433d033",
  ],
  [{ eventType: "RunStarted" }, "d219f09c191299aed8f136206aac54aba08233611a71d86470eb60174fb086b4"],
])("K1: the vector %j", (parts, key) => {
  const whole = { runId: "run-001", logicalAttemptId: "1", planVersion: "1.2.0", ...parts };
  expect(idempotencyKey(whole)).toBe(key);
  expect(newEvent(whole).idempotencyKey).toBe(key);
});

test("K1: the engine's attempt never takes part, everything else does", () => {
  const parts = { runId: "r", stepId: "s", logicalAttemptId: "1", eventType: "StepStarted", planVersion: "1" };
  const key = (more: object) => newEvent({ ...parts, ...more }).idempotencyKey;
  expect(key({ engineAttemptId: "7" })).toBe(key({}));
  const others = [
    { runId: "q" },
    { stepId: "t" },
    { logicalAttemptId: "2" },
    { eventType: "StepFailed" },
    { planVersion: "2" },
  ];
  expect(new Set([{}, ...others].map(key)).size).toBe(6);
});

test("K2: pause, resume, pause are three events", () => {
  const key = (eventType: string, logicalAttemptId: string) =>
    newEvent({ runId: "r", eventType, logicalAttemptId, planVersion: "1" }).idempotencyKey;
  expect(new Set([key("RunPaused", "1"), key("RunResumed", "1"), key("RunPaused", "2")]).size).toBe(3);
});

test("the hash is SHA-256 of UTF-8 for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }),
  );
});

test("a platform without a native hash computes the same", async () => {
  const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  vi.resetModules();
  const own = await import("./idempotency-key.js");
  builtin.mockRestore();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => own.sha256Hex(text) === sha256Hex(text)));
});
