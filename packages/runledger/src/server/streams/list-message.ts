/** What is said about a list, as text. */
import type { RunSummary } from "@runledger/contracts";
import { frame } from "./sse-connection.js";

interface ListNews {
  /** Where a reader is once it has this. */
  readonly place: string;
  readonly type: "snapshot" | "change";
  readonly data: { readonly runs: readonly RunSummary[]; readonly gone?: readonly string[] };
}

export class ListMessage {
  readonly #news: ListNews;
  #alone: Buffer | null = null;

  constructor(news: ListNews) {
    this.#news = news;
  }

  /** Readers of this list alone share one text; who reads several is told which one is meant. */
  for(list: string | null): Buffer {
    const { place, type, data } = this.#news;
    if (list !== null) return frame({ event: type, data: { list, place, ...data } });
    return (this.#alone ??= frame({ id: place, ...(type === "snapshot" ? { event: type } : {}), data }));
  }
}
