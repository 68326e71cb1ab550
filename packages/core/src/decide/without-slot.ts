import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import { stopReason } from "./stopping.js";

/**
 * Filters the commands that a run without a slot may execute (Q2): answering an operator, stopping and compensating.
 * Nothing else starts.
 */
export function withoutSlot(state: RunState, commands: readonly Command[]): readonly Command[] {
  return stopReason(state) === null ? commands.filter(needsNoSlot) : commands;
}

function needsNoSlot(command: Command): boolean {
  if (command.type === "append") return command.event.eventType !== "RunStarted";
  return command.type === "abort" || command.type === "cancelChild";
}
