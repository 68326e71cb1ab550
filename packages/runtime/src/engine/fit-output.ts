/** Moves an output that an event cannot hold to an artifact, which the event names (P9). Readers get it as any other output. */
import { checkEventData, InputError, MAX_EVENT_BYTES, type Json, type JsonObject } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import { artifactPort } from "../artifacts/artifact-port.js";
import { MAX_OUTPUT_BYTES, writeOutput } from "../artifacts/output-artifact.js";
import type { ArtifactHome } from "./artifact-home.js";
import { bytesOf } from "./output-too-large.js";
import { recordable, type RunContext } from "./run-context.js";

/** Room in the event for the reference. */
const REFERENCE_BYTES = 4096;

/** Returns the draft itself if an event can hold it, or if its output is not what makes it too large. */
export async function fitOutput(context: RunContext, home: ArtifactHome, draft: EventDraft): Promise<EventDraft> {
  const { eventType, data = {} } = draft;
  if (eventType !== "StepCompleted" || !home.isPresent || !mayBeLarge(data)) return draft;
  const clean = recordable(context, data) as JsonObject;
  if (!isTooLarge(eventType, clean)) return draft;
  const { output = null, artifacts = [], ...rest } = clean;
  const json = Buffer.from(JSON.stringify(output));
  if (json.byteLength > MAX_OUTPUT_BYTES || bytesOf({ artifacts, rest }) > MAX_EVENT_BYTES - REFERENCE_BYTES)
    return draft;
  const ref = await writeOutput(artifactPort(home.artifacts, home.insist), home.about, json);
  const refs = [...(artifacts as readonly Json[]), ref as unknown as Json];
  return { ...draft, data: { ...rest, outputArtifact: ref.uri, artifacts: refs } };
}

/** An output that is not JSON is refused for that reason. */
function isTooLarge(eventType: string, eventData: Json): boolean {
  try {
    checkEventData({ eventType, eventData });
    return false;
  } catch (error) {
    return error instanceof InputError && error.code === "PAYLOAD_TOO_LARGE";
  }
}

/** A bound that needs no text. Almost all outputs are below it. */
function mayBeLarge(data: Json): boolean {
  return roomAfter(data, MAX_EVENT_BYTES, 0) < 0;
}

/** JSON needs at most six bytes per character (`\u0000`), and 25 for a number. */
const [CHARACTER, NUMBER, PUNCTUATION, MAX_DEPTH] = [6, 25, 4, 100];

/** Returns the bytes that are left after a value. Negative: it may need more. */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - PUNCTUATION - CHARACTER * value.length;
  if (typeof value !== "object" || value === null) return room - NUMBER;
  if (depth > MAX_DEPTH) return -1;
  let left = room - PUNCTUATION;
  for (const [key, part] of Object.entries(value)) {
    if (left < 0) return left;
    left = roomAfter(part, left - PUNCTUATION - CHARACTER * key.length, depth + 1);
  }
  return left;
}
