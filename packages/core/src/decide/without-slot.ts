import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import { stopReason } from "./stopping.js";

/**
 * What may be done for a run that has no slot (Q2): an operator is answered, and what is to be stopped is stopped and
 * undone. Nothing else begins.
 */
export function withoutSlot(state: RunState, commands: readonly Command[]): readonly Command[] {
  return stopReason(state) === null ? commands.filter(needsNoSlot) : commands;
}

function needsNoSlot(command: Command): boolean {
  if (command.type === "append") return command.event.eventType !== "RunStarted";
  return command.type === "abort" || command.type === "cancelChild";
}
