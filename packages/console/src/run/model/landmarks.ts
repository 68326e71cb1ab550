import type { CanonicalEngineEvent, JsonObject } from "@runledger/contracts";
import type { Landmark } from "./view.js";

const NOTES: Readonly<Record<string, (data: JsonObject) => string>> = {
  RunTakenOver: ({ workerId, epoch }) => `taken over by ${text(workerId)}, epoch ${text(epoch)}`,
  RunPaused: () => "paused",
  RunResumed: () => "resumed",
  RunReopened: () => "reopened by an operator",
  StepsReset: () => "steps reset by an operator",
};

type LandmarkEvent = Pick<CanonicalEngineEvent, "eventType" | "eventData" | "emittedAt" | "runSeq">;

/** Returns `null` for events that are not marked on the time axis. */
export function landmarkOf({ eventType, eventData, emittedAt, runSeq }: LandmarkEvent): Landmark | null {
  const note = NOTES[eventType];
  if (note === undefined) return null;
  return { at: Date.parse(emittedAt), seq: runSeq, type: eventType, note: note((eventData ?? {}) as JsonObject) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
