import type { CanonicalEngineEvent } from "@runledger/contracts";
import { encodeMessage } from "./sse-connection.js";
import { withoutPayloads } from "./without-payloads.js";

/** Encodes an event once per form, for all subscribers. */
export class EncodedEvent {
  readonly event: CanonicalEngineEvent;
  readonly #forms = new Map<string, Buffer>();

  constructor(event: CanonicalEngineEvent) {
    this.event = event;
  }

  bytes({ payloads, ids }: { readonly payloads: boolean; readonly ids: boolean }): Buffer {
    const key = `${payloads} ${ids}`;
    const form = this.#forms.get(key) ?? this.#encode(payloads, ids);
    this.#forms.set(key, form);
    return form;
  }

  #encode(payloads: boolean, ids: boolean): Buffer {
    const data = payloads ? this.event : withoutPayloads(this.event);
    return encodeMessage(ids ? { id: data.runSeq, data: { type: "event", ...data } } : { data });
  }
}
