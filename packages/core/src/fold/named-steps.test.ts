import { expect, test } from "vitest";
import { omitUndefined, type CanonicalEngineEvent, type Json } from "@runledger/contracts";
import { namedSteps } from "./named-steps.js";

const named = (eventType: string, eventData: Json, stepId?: string) =>
  namedSteps({ eventType, eventData, ...omitUndefined({ stepId }) } as CanonicalEngineEvent);

test("F4: an event names its own step, or those that it resets or takes over; a signal and a run's event none", () => {
  const steps = ["load", { container: "each", from: 1, to: 2, step: "x" }];
  const expanded = ["load", "each/1/x", "each/2/x"];
  expect(named("StepCompleted", {}, "load")).toEqual(["load"]);
  expect(named("SomethingElse", {}, "load")).toEqual(["load"]);
  expect(named("RunStarted", {})).toEqual([]);
  expect(named("SignalAccepted", { stepId: "load" })).toEqual([]);
  expect(named("StepsReset", { steps })).toEqual(expanded);
  expect(named("RunReopened", { steps })).toEqual(expanded);
  expect(named("RunTakenOver", { stepsInFlight: steps })).toEqual(expanded);
  expect(named("RunReopened", null)).toEqual([]);
});
