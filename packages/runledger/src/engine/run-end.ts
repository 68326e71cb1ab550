import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import type { Recall } from "./recall.js";

/** How a run ended, as whoever drove it or read its log knows it. */
export interface RunEnd {
  readonly state: RunState;
  /** The event that ended it. */
  readonly event: CanonicalEngineEvent;
  readonly recall: Recall;
}
