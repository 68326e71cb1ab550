import type { RunSummary } from "@runledger/contracts";
import { encodeMessage } from "./sse-connection.js";

interface ListUpdate {
  /** Cursor after this message. */
  readonly place: string;
  readonly type: "snapshot" | "change";
  readonly data: { readonly runs: readonly RunSummary[]; readonly gone?: readonly string[] };
}

/** Encodes an update of a list for its subscribers. */
export class ListMessage {
  readonly #update: ListUpdate;
  #shared: Buffer | null = null;

  constructor(update: ListUpdate) {
    this.#update = update;
  }

  /** `list` names the list in a stream of several lists. Streams of this list alone (`null`) share one encoding. */
  encode(list: string | null): Buffer {
    const { place, type, data } = this.#update;
    if (list !== null) return encodeMessage({ event: type, data: { list, place, ...data } });
    return (this.#shared ??= encodeMessage({ id: place, ...(type === "snapshot" ? { event: type } : {}), data }));
  }
}
