import type { CanonicalEngineEvent } from "@runledger/contracts";
import { dataOf } from "./read-data.js";
import { expandSteps } from "./step-ranges.js";

/** The steps that an event may touch: whoever folds with these rows at hand needs no others (F4). */
export function namedSteps(event: CanonicalEngineEvent): readonly string[] {
  switch (event.eventType) {
    case "StepsReset":
    case "RunReopened":
      return [...expandSteps(dataOf(event)["steps"])];
    case "RunTakenOver":
      return [...expandSteps(dataOf(event)["stepsInFlight"])];
    default:
      return event.stepId === undefined ? [] : [event.stepId];
  }
}
