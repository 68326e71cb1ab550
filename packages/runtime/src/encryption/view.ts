/** How a reader sees an encrypted store: decrypted, or with its payloads concealed. */
import { StopError, type CanonicalEngineEvent, type Checkpoint, type Json } from "@runledger/contracts";
import { concealEvent, openEvent, type OpenText } from "./sealed-event.js";
import { concealHeader, concealStep, openHeader, openStep, type ProjectionView } from "./sealed-projection.js";
import { openCheckpoint, openValue } from "./sealed-value.js";
import type { Place, Sealer } from "./sealer.js";

export interface View extends ProjectionView {
  readonly event: (event: CanonicalEngineEvent) => CanonicalEngineEvent;
  readonly checkpoint: (checkpoint: Checkpoint) => Checkpoint | null;
  readonly value: (value: Json, place: Place) => Json;
  readonly bytes: (bytes: Uint8Array, place: Place) => Uint8Array;
}

export function decryptedView(sealer: Sealer): View {
  const open: OpenText = (sealed, place) => sealer.openText(sealed, place);
  return {
    event: (event) => openEvent(open, event),
    header: (header) => openHeader(open, header),
    step: (runId, step) => openStep(open, runId, step),
    checkpoint: (checkpoint) => openCheckpoint(open, checkpoint),
    value: (value, place) => openValue(open, value, place),
    bytes: (bytes, place) => sealer.openBytes(bytes, place) ?? refuseLost(),
  };
}

const nothing: OpenText = () => null;

/** For readers who may not see payloads. Payloads that are not encrypted are concealed as well. */
export const concealedView: View = {
  event: concealEvent,
  header: concealHeader,
  step: (_, step) => concealStep(step),
  checkpoint: () => null,
  value: (value, place) => openValue(nothing, value, place),
  bytes: () => {
    throw new StopError(
      "FORBIDDEN",
      "Logs and artifacts of this store are encrypted, and this caller may not read them. Ask an admin for a key with the role operator.",
    );
  },
};

function refuseLost(): never {
  throw new StopError(
    "ENCRYPTION_KEY_MISSING",
    "The artifact is encrypted with a key that is lost. Its bytes cannot be read any more.",
  );
}
