/** Values and checkpoints that are encrypted as a whole. */
import { isJsonObject, SEALED, sealedPart, sha256Hex, type Checkpoint, type Json } from "@runledger/contracts";
import { encryptedMask, withoutSealed, type OpenText } from "./sealed-event.js";
import { isSealedText, type Place, type Sealer } from "./sealer.js";

const CHECKSUM_LENGTH = 64;

export function sealValue(sealer: Sealer, value: Json, tenantId: string, place: Place): Json {
  const sealed = sealer.sealText(JSON.stringify(value), tenantId, place);
  return { ...encryptedMask(sealer.keyIdOf(tenantId)).json, [SEALED]: sealed };
}

export function openValue(open: OpenText, value: Json, place: Place): Json {
  const sealed = sealedPart(value);
  if (sealed === null || !isJsonObject(value)) return value;
  const text = open(sealed, place);
  return text === null ? withoutSealed(value) : (JSON.parse(text) as Json);
}

const checkpointPlace = (runId: string): Place => ["checkpoint", runId];

/** The stored checksum is the one of the stored text. */
export function sealCheckpoint(sealer: Sealer, checkpoint: Checkpoint, tenantId: string): Checkpoint {
  const text = checkpoint.checksum + checkpoint.data;
  const data = sealer.sealText(text, tenantId, checkpointPlace(checkpoint.runId));
  return { ...checkpoint, data, checksum: sha256Hex(data) };
}

/** Returns `null` if the reader may not see it, or if its key is lost. The log contains the same state. */
export function openCheckpoint(open: OpenText, checkpoint: Checkpoint): Checkpoint | null {
  if (!isSealedText(checkpoint.data)) return checkpoint;
  const text = open(checkpoint.data, checkpointPlace(checkpoint.runId));
  if (text === null) return null;
  return { ...checkpoint, data: text.slice(CHECKSUM_LENGTH), checksum: text.slice(0, CHECKSUM_LENGTH) };
}
