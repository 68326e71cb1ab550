import { StopError } from "./errors/families.js";
import type { CanonicalEngineEvent } from "./event.js";
import type { Json, JsonObject } from "./json.js";
import { ERASED, maskEventData, type Mask } from "./payloads.js";
import { isJsonObject } from "./read-event.js";

/** Records an erasure: its time, its caller and its reason. It replaces each payload as `{ "$erased": … }`. */
export interface ErasedBy {
  /** ISO 8601, by the store's clock. */
  readonly at: string;
  /** The caller who requested it. */
  readonly by: string;
  readonly reason: string;
}

export interface EraseRequest {
  readonly runId: string;
  readonly by: string;
  readonly reason: string;
}

/** The reason why a run was not erased. */
export type NotErased = "absent" | "not-finished" | "damaged";

export interface ErasedRun {
  readonly runId: string;
  readonly erased: true;
  /** Events whose payloads this call erased. 0 if they had none left. */
  readonly events: number;
}

export type EraseOutcome = ErasedRun | { readonly runId: string; readonly erased: false; readonly reason: NotErased };

/**
 * Erases payloads of finished runs, in the log and in the archive (A6). Structure stays: numbers, types, ids, keys, times and
 * labels. So does the hash of each event's original content.
 */
export interface Erasure {
  /**
   * Erases the payloads of a run's events, its checkpoint, keyframes, artifacts and the messages of its failed deliveries,
   * and replaces its projection. All of it commits together. The call is safe to repeat.
   */
  eraseRun(request: EraseRequest): Promise<EraseOutcome>;
}

/** Replaces the hash of an erased input, which could be guessed. A repeated request matches it. */
export const ERASED_HASH = "erased";

/** Returns the data of an event without payloads, or `null` if there is nothing to erase. */
export function eraseEventData({ eventType, eventData }: CanonicalEngineEvent, erased: ErasedBy): JsonObject | null {
  const marker = { [ERASED]: { ...erased } };
  const mask: Mask = { json: marker, text: "erased" };
  const masked = maskEventData(eventType, eventData, mask);
  return masked === null ? null : { ...masked, ...marker };
}

/** Returns who erased this data, or `null` if it is not erased. */
export function erasedPart(eventData: Json | undefined): ErasedBy | null {
  if (!isJsonObject(eventData)) return null;
  const erased = eventData[ERASED];
  return isJsonObject(erased) ? (erased as unknown as ErasedBy) : null;
}

/** Payloads can be erased only after the run has finished. */
export class RunNotFinishedError extends StopError {
  constructor(readonly runId: string) {
    super(
      "RUN_NOT_FINISHED",
      `Run ${runId} has not finished, and its steps need its payloads. Nothing was erased. Wait for its end or cancel it.`,
    );
  }
}
