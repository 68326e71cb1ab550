import { expect, test } from "vitest";
import { initialState, type RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import { withoutSlot } from "./without-slot.js";

const state: RunState = { ...initialState("run-1"), status: "RUNNING" };
const append = (eventType: string): Command => ({ type: "append", event: { eventType, attempt: 1 } });
const commands: readonly Command[] = [
  append("RunStarted"),
  append("RunResumed"),
  { type: "run", stepId: "load", path: "load", attempt: 1 },
  { type: "open", stepId: "each", path: "each", attempt: 1 },
  { type: "abort", stepId: "load", attempt: 1 },
  { type: "cancelChild", childRunId: "run-2" },
];

test("Q2: without a slot an operator is answered, and nothing starts", () => {
  expect(withoutSlot(state, commands)).toEqual([append("RunResumed"), commands[4], commands[5]]);
});

test("Q2: a run that is stopped is stopped and undone, slot or not", () => {
  const details = { ...state.details, actions: [{ name: "CANCEL", signalId: "s-1" }] };
  expect(withoutSlot({ ...state, details }, commands)).toEqual(commands);
});
