import type { Tone } from "../ui/status.js";

export function eventTone(eventType: string): Tone {
  if (/Failed$|Rejected$/.test(eventType)) return "bad";
  if (eventType.endsWith("Completed")) return "good";
  if (/^StepStarted$|^RunStarted$|^RunResumed$/.test(eventType)) return "busy";
  if (/^Signal|^RunPaused$|^RunTakenOver$|^RunReopened$|^StepsReset$/.test(eventType)) return "wait";
  return "idle";
}
