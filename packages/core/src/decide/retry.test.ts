// @module-tag E-10
import { omitUndefined } from "@runledger/contracts";
import { describe, expect, test } from "vitest";
import { planOf, work } from "@runledger/test-support/decide";
import { retryDelay, type DefinitionRetry } from "../index.js";

const stepWith = (retry?: DefinitionRetry) => planOf([work("a", omitUndefined({ retry }))]).body.steps[0]!;
const error = { code: "BROKEN", message: "", retryable: true };
const at = (attempt: number, more: { readonly runId?: string; readonly budgetFrom?: number } = {}) => ({
  runId: "run-1",
  stepId: "a",
  attempt,
  ...more,
});

describe("D5: another attempt", () => {
  test("there is no delay without a policy, with the budget used up, or for a permanent error", () => {
    const step = stepWith({ attempts: 3, unless: ["BAD_INPUT"] });
    expect(retryDelay(stepWith(), at(1), error)).toBeNull();
    expect(retryDelay(step, at(3), error)).toBeNull();
    expect(retryDelay(step, at(1), { ...error, retryable: false })).toBeNull();
    expect(retryDelay(step, at(1), { ...error, code: "BAD_INPUT" })).toBeNull();
    expect(retryDelay(step, at(2), error)).not.toBeNull();
  });

  test("K4: the budget and the backoff count from an operator's reset", () => {
    const step = stepWith({ attempts: 2, delay: "1s" });
    expect(retryDelay(step, at(4, { budgetFrom: 4 }), error)).toBeLessThanOrEqual(1000);
    expect(retryDelay(step, at(5, { budgetFrom: 4 }), error)).toBeNull();
  });

  test("backs off by the factor up to the longest delay, half to full of it", () => {
    const step = stepWith({ attempts: 9, delay: "1s", factor: 3, maxDelay: "10s" });
    const full = [1000, 3000, 9000, 10_000, 10_000];
    for (const [index, most] of full.entries()) {
      const delay = retryDelay(step, at(index + 1), error)!;
      expect(delay).toBeGreaterThanOrEqual(most / 2);
      expect(delay).toBeLessThanOrEqual(most);
    }
  });

  test("D3: jitter is derived: every caller computes the same value; another run, step or attempt has another one", () => {
    const step = stepWith({ attempts: 9, delay: "1h", factor: 1, maxDelay: "1h" });
    const delays = [at(1), at(2), at(1, { runId: "run-2" }), { ...at(1), stepId: "b" }].map((about) =>
      retryDelay(step, about, error),
    );
    expect(new Set(delays).size).toBe(4);
    expect(retryDelay(step, at(1), error)).toBe(delays[0]);
  });
});
