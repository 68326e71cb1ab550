/** Events with encrypted payloads: their structure is readable, and their original is sealed in it. */
import {
  checkEventData,
  maskEventData,
  SEALED,
  sealedPart,
  type CanonicalEngineEvent,
  type Json,
  type JsonObject,
  type Mask,
  type NewEvent,
} from "@runledger/contracts";
import type { Place, Sealer } from "./sealer.js";

/** Reads sealed text. `null` if the reader may not see it, or if its key is lost. */
export type OpenText = (sealed: string, place: Place) => string | null;

/** Stands for an encrypted payload. `keyId` names the key that it was encrypted with. */
export function encryptedMask(keyId: string): Mask {
  return { json: { $encrypted: keyId }, text: "encrypted" };
}

type EventPlace = Pick<CanonicalEngineEvent, "runId" | "idempotencyKey">;

const placeOf = ({ runId, idempotencyKey }: EventPlace): Place => ["event", runId, idempotencyKey];

/** `dataJson` is the JSON of its data. Events without payloads are returned unchanged. */
export function sealEvent<E extends NewEvent | CanonicalEngineEvent>(
  sealer: Sealer,
  event: E,
  { tenantId, dataJson }: { readonly tenantId: string; readonly dataJson: string },
): E {
  const masked = maskEventData(event.eventType, event.eventData, encryptedMask(sealer.keyIdOf(tenantId)));
  if (masked === null) return event;
  return { ...event, eventData: { ...masked, [SEALED]: sealer.sealText(dataJson, tenantId, placeOf(event)) } };
}

/** Checks the payload first, because its limits apply to the original. */
export function checkAndSeal<E extends NewEvent | CanonicalEngineEvent>(
  sealer: Sealer,
  event: E,
  { tenantId, field }: { readonly tenantId: string; readonly field: string },
): E {
  return sealEvent(sealer, event, { tenantId, dataJson: checkEventData(event, field) });
}

/** Events that were written before encryption was configured are returned unchanged. */
export function openEvent(open: OpenText, event: CanonicalEngineEvent): CanonicalEngineEvent {
  const sealed = sealedPart(event.eventData);
  if (sealed === null) return event;
  const text = open(sealed, placeOf(event));
  return {
    ...event,
    eventData: text === null ? withoutSealed(event.eventData as JsonObject) : (JSON.parse(text) as Json),
  };
}

/** Hides the payloads of an event, whether it is encrypted or not. */
export function concealEvent(event: CanonicalEngineEvent): CanonicalEngineEvent {
  if (sealedPart(event.eventData) !== null)
    return { ...event, eventData: withoutSealed(event.eventData as JsonObject) };
  const masked = maskEventData(event.eventType, event.eventData, encryptedMask(""));
  return masked === null ? event : { ...event, eventData: masked };
}

export function withoutSealed(value: JsonObject): JsonObject {
  const { [SEALED]: _, ...rest } = value;
  return rest;
}
