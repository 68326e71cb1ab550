// @module-tag R-12
import { InputError, StopError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { realTimers } from "../time/timers.js";
import { StoreCalls } from "./store-calls.js";

const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};

test("a call that the store refuses is an error of the step", async () => {
  const calls = new StoreCalls(realTimers, new AbortController().signal);
  const refused = new InputError("ARTIFACT_NOT_FOUND", "uri", "there is no such artifact.");
  await expect(calls.insist(failing(refused))).rejects.toBe(refused);
  expect(calls.ownError(refused)).toBe(refused);
});

test("an error of the store itself is not an error of the step, even if the step wraps it", async () => {
  const calls = new StoreCalls(realTimers, new AbortController().signal);
  const fault = new StopError("LOG_GAP", "event 3 is missing");
  await expect(calls.insist(failing(fault))).rejects.toBe(fault);
  expect(() => calls.ownError(new Error("wrapped", { cause: fault }))).toThrow(fault);
});
