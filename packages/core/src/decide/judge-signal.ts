/** Decides whether a run accepts a user's signal, and whether its limits leave room for one (G1, P9). */
import { MAX_PER_MINUTE } from "../fold/evolve-signals.js";
import { isTerminal, type RunState } from "../fold/run-state.js";
import { later } from "./drafts.js";
import type { ActionVerdict } from "./judge-action.js";

/** A run keeps at most this many signals that no wait has taken. */
export const MAX_UNTAKEN = 500;
const MINUTE = 60_000;

export function judgeSignal({ status }: RunState): ActionVerdict {
  return isTerminal(status) ? { accepted: false, reason: `the run is ${status}` } : { accepted: true, drafts: [] };
}

/** Returns `true` if the run can keep another signal of this name, or a step already waits for it. */
export function hasRoomFor({ details }: RunState, name: string): boolean {
  const { signals = [], waits = {} } = details;
  if (signals.length < MAX_UNTAKEN) return true;
  return signals.filter((signal) => signal.name === name).length < (waits[`signal ${name}`] ?? 0);
}

/**
 * Returns the time from which the run may record another signal or action, by the store's clock. Returns `undefined` if it
 * has had fewer than sixty. Actions are counted apart, so signals never keep an operator from acting.
 */
export function nextSignalAt({ details }: RunState, namespace: "action" | "signal"): string | undefined {
  const times = (namespace === "action" ? details.recentActions : details.recentSignals) ?? [];
  return times.length < MAX_PER_MINUTE ? undefined : later(times[0]!, MINUTE);
}
