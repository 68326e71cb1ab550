import type { PendingSignal, RunStatus } from "@runledger/contracts";
import { isTerminal } from "./run-state.js";

/** A text names at most this many kinds of signals. */
const MAX_NAMED = 5;

/**
 * Describes the accepted signals that no step of a finished run has taken: `3 (late, other)`. Returns `null` if there are
 * none, or the run has not finished.
 */
export function untakenSignals({
  status,
  signals = [],
}: {
  readonly status: RunStatus;
  readonly signals?: readonly PendingSignal[] | undefined;
}): string | null {
  if (!isTerminal(status) || signals.length === 0) return null;
  const names = [...new Set(signals.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? ", …" : "";
  return `${signals.length} (${names.slice(0, MAX_NAMED).join(", ")}${more})`;
}
