/**
 * Separates the payloads of an event from its structure. Encryption and erasure replace payloads and keep the structure, so
 * that a log can be folded, listed and verified without them.
 */
import { eventTypes } from "./event.js";
import type { Json, JsonObject } from "./json.js";
import { isJsonObject } from "./read-event.js";

/** Replaces payloads: `json` stands for a value, `text` for a message. */
export interface Mask {
  readonly json: JsonObject;
  readonly text: string;
}

/** The field of a masked event's data that contains its encrypted original. */
export const SEALED = "$sealed";
/** The field that marks erased data. */
export const ERASED = "$erased";

const TYPES: ReadonlySet<string> = new Set(eventTypes);

/** Fields that hold no user data. Every other field of an event is a payload. */
const STRUCTURE: ReadonlySet<string> = new Set(
  (
    "plan logFormat tenantId projectId environmentId runRequestId priority concurrencyKey startAt labels " +
    "parent schedule fork by deadlineAt steps compensate epoch workerId stepsInFlight waitsFor namespace " +
    "datasets name stepId outputFrom signalId again artifacts kept retryAt culprit untakenSignals redacted"
  ).split(" "),
);

/** Fields whose values may be any JSON, so that a text could be mistaken for a value. */
const VALUES: ReadonlySet<string> = new Set(["input", "state", "output", "outputArtifact", "payload", "patch"]);
/** Details of an error, and the sealed original. Masked data has none. */
const DETAILS: ReadonlySet<string> = new Set(["stack", "cause", SEALED]);
/** A reason that Runledger itself recorded, such as UPSTREAM_FAILED. */
const OWN_REASON = /^[A-Z_]+$/;

/** Returns the data of an event with its payloads replaced, or `null` if it contains none. */
export function maskEventData(eventType: string, eventData: Json, mask: Mask): JsonObject | null {
  if (isJsonObject(eventData) && ERASED in eventData) return null;
  if (!TYPES.has(eventType) || !isJsonObject(eventData)) return isEmpty(eventData) ? null : mask.json;
  let hasPayload = false;
  const masked: Record<string, Json> = {};
  for (const [name, value] of Object.entries(eventData)) {
    const shown = maskField(name, value, mask);
    if (shown !== value) hasPayload = true;
    if (shown !== undefined) masked[name] = shown;
  }
  return hasPayload ? masked : null;
}

function maskField(name: string, value: Json, mask: Mask): Json | undefined {
  if (STRUCTURE.has(name)) return value;
  if (DETAILS.has(name)) return undefined;
  if (VALUES.has(name)) return mask.json;
  if (name === "error") return maskError(value, mask);
  if (name === "opened") return maskOpened(value, mask);
  if (name === "reason") return maskReason(value, mask);
  return typeof value === "string" ? mask.text : mask.json;
}

/** Keeps the code of an error, by which runs are found and retried. */
export function maskError(error: Json, mask: Mask): Json {
  if (!isJsonObject(error)) return mask.json;
  const { code, retryable } = error;
  return { ...(code !== undefined && { code }), message: mask.text, ...(retryable !== undefined && { retryable }) };
}

/** Keeps the number of a container's items, but not the items. */
export function maskOpened(opened: Json, mask: Mask): Json {
  if (!isJsonObject(opened) || !isJsonObject(opened["items"]) || !("inline" in opened["items"])) return opened;
  return { ...opened, items: { inline: [mask.json] } };
}

export function maskReason(reason: Json, mask: Mask): Json {
  return typeof reason === "string" && OWN_REASON.test(reason) ? reason : mask.text;
}

/** Returns the encrypted original of masked data, or `null` if the data is not encrypted. */
export function sealedPart(value: Json | undefined): string | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const sealed = value[SEALED];
  return typeof sealed === "string" ? sealed : null;
}

function isEmpty(value: Json): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}
