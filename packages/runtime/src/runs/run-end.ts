import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import type { RecentEvents } from "./recent-events.js";

/** The end of a run. */
export interface RunEnd {
  readonly state: RunState;
  /** The run's final event. */
  readonly event: CanonicalEngineEvent;
  readonly recentEvents: RecentEvents;
}
