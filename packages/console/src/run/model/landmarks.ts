import type { CanonicalEngineEvent, JsonObject } from "@runledger/contracts";
import type { Landmark } from "./view.js";

const NOTES: Readonly<Record<string, (data: JsonObject) => string>> = {
  RunTakenOver: ({ workerId, epoch }) => `taken over by ${text(workerId)}, epoch ${text(epoch)}`,
  RunPaused: () => "paused",
  RunResumed: () => "resumed",
  RunReopened: () => "reopened by an operator",
  StepsReset: () => "steps reset by an operator",
};

type Happened = Pick<CanonicalEngineEvent, "eventType" | "eventData" | "emittedAt" | "runSeq">;

/** What happened to the run as a whole while it ran; null = nothing of the kind. */
export function landmarkOf({ eventType, eventData, emittedAt, runSeq }: Happened): Landmark | null {
  const note = NOTES[eventType];
  if (note === undefined) return null;
  return { at: Date.parse(emittedAt), seq: runSeq, type: eventType, note: note((eventData ?? {}) as JsonObject) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
