import type { CanonicalEngineEvent, SignalAcceptedData } from "@runledger/contracts";

/** Returns who cancelled the run, if the event is an accepted cancellation. */
export function cancelIn({ eventType, eventData, runSeq }: CanonicalEngineEvent) {
  const { namespace, name, by } = (eventData ?? {}) as Partial<SignalAcceptedData>;
  if (eventType !== "SignalAccepted" || namespace !== "action" || name !== "CANCEL") return null;
  return { by: by ?? "an operator", seq: runSeq };
}
