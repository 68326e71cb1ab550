import { readEventData, type CanonicalEngineEvent } from "@runledger/contracts";
import { expandSteps } from "./step-ranges.js";

/** Returns the steps that an event may touch. Their rows are all that the fold needs (F4). */
export function namedSteps(event: CanonicalEngineEvent): readonly string[] {
  switch (event.eventType) {
    case "StepsReset":
    case "RunReopened":
      return [...expandSteps(readEventData(event.eventType, event.eventData).steps)];
    case "RunTakenOver":
      return [...expandSteps(readEventData("RunTakenOver", event.eventData).stepsInFlight)];
    default:
      return event.stepId === undefined ? [] : [event.stepId];
  }
}
