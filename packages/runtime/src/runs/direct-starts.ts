/** Starts of runs on a store without a queue: a cluster executes them directly. */
import type { FullStateStore, RunStart } from "@runledger/contracts";

export interface DirectStarts {
  /** Returns the id of the run that a request starts. It is derived from the request's key: the store keeps no keys (Q1). */
  runIdOf(request: Pick<RunStart, "startKey" | "dedupeKey">): string;
  /** Starts the execution of a recorded run unless it has an open one. */
  ensureExecution(runId: string): Promise<void>;
}

const starts = new WeakMap<FullStateStore, DirectStarts>();

export function setDirectStarts(store: FullStateStore, direct: DirectStarts): void {
  starts.set(store, direct);
}

/** Returns `undefined` if the store has a queue. */
export function directStartsOf(store: FullStateStore): DirectStarts | undefined {
  return starts.get(store);
}
