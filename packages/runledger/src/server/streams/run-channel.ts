/** One run and everybody who watches it. */
import type { CanonicalEngineEvent, FullStateStore } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "../../ledger/load-state.js";
import { withoutPayloads } from "./without-payloads.js";
import { frame, type SseConnection } from "./sse-connection.js";

/** Few, because each may be 256 KB, and every reader of history holds some. */
const PAGE = 100;
const LAST = /^Run(Completed|Failed|Cancelled)$/;

/** How a reader wants its events, and from where on. */
export interface ReaderPlace {
  readonly afterSeq: number;
  readonly payloads: boolean;
  /** False = the stream is of several runs, and a message's id would say nothing. */
  readonly ids: boolean;
}

interface Reader {
  readonly connection: SseConnection;
  readonly place: ReaderPlace;
  sentSeq: number;
  /** False = it is still reading history. */
  live: boolean;
}

/** Whether the run had ended at this seq, and what came behind it has not changed that. */
interface Standing {
  readonly seq: number;
  readonly ended: boolean;
}

export class RunChannel {
  readonly #store: FullStateStore;
  readonly #runId: string;
  readonly #onError: (error: unknown) => void;
  readonly #readers = new Map<SseConnection, Reader>();
  /** Pages on their way, so that readers who come together read together. */
  readonly #pages = new Map<number, Promise<CanonicalEngineEvent[]>>();
  /** The last event that live readers have; null = nobody has caught up yet. */
  #seq: number | null = null;
  #standing: Promise<Standing> | null = null;

  constructor(store: FullStateStore, runId: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#runId = runId;
  }

  get size(): number {
    return this.#readers.size;
  }

  add(connection: SseConnection, place: ReaderPlace): void {
    const reader: Reader = { connection, place, sentSeq: place.afterSeq, live: false };
    this.#readers.set(connection, reader);
    this.#catchUp(reader);
  }

  remove(connection: SseConnection): void {
    this.#readers.delete(connection);
  }

  /** Reads what is new and sends it to everybody who has caught up. */
  async advance(headSeq: number): Promise<void> {
    while (this.#seq !== null && this.#seq < headSeq) {
      const page = await this.#page(this.#seq);
      if (page.length === 0) return;
      for (const event of page) this.#broadcast(event);
    }
  }

  /** From history to the present. Also the way of a reader that cannot keep up: it goes at its own pace. */
  #catchUp(reader: Reader): void {
    reader.live = false;
    this.#readHistory(reader).catch((error: unknown) => {
      this.#onError(error);
      reader.connection.end(); // it connects again and goes on where it was
    });
  }

  async #readHistory(reader: Reader): Promise<void> {
    const { connection } = reader;
    while (connection.isOpen) {
      const page = await this.#page(reader.sentSeq);
      for (const event of page) {
        this.#send(reader, event);
        await connection.room();
      }
      if (page.length === PAGE) continue;
      const { seq, ended } = await (this.#standing ??= this.#readStanding());
      if (reader.sentSeq < Math.max(seq, this.#seq ?? 0)) continue; // more has come meanwhile, perhaps the end
      // From here on nothing waits: the reader is live before anything can be sent to the live ones.
      this.#seq ??= reader.sentSeq;
      reader.live = true;
      const data = { runId: this.#runId, headSeq: reader.sentSeq, ended };
      return connection.send(frame({ event: "caught-up", data }));
    }
  }

  #page(afterSeq: number): Promise<CanonicalEngineEvent[]> {
    const known = this.#pages.get(afterSeq);
    if (known !== undefined) return known;
    const page = this.#store.fetchEvents(this.#runId, { afterSeq, limit: PAGE });
    this.#pages.set(afterSeq, page);
    const forget = (): void => void this.#pages.delete(afterSeq);
    page.then(forget, forget);
    return page;
  }

  #broadcast(event: CanonicalEngineEvent): void {
    const { runSeq, eventType } = event;
    this.#seq = runSeq;
    if (LAST.test(eventType) || eventType === "RunReopened")
      this.#standing = Promise.resolve({ seq: runSeq, ended: LAST.test(eventType) });
    const frames = new Frames(event);
    for (const reader of this.#readers.values()) {
      if (!reader.live) continue;
      this.#send(reader, event, frames);
      if (reader.connection.isCrowded) this.#catchUp(reader);
    }
  }

  #send(reader: Reader, event: CanonicalEngineEvent, frames = new Frames(event)): void {
    if (event.runSeq <= reader.sentSeq) return; // it read further than the others were sent
    const { runId, runSeq, eventType } = event;
    reader.connection.send(frames.of(reader.place));
    if (LAST.test(eventType)) reader.connection.send(frame({ event: "ended", data: { runId, runSeq } }));
    reader.sentSeq = runSeq;
  }

  /** What could not be read is read again by whoever comes next: others may keep the channel. */
  async #readStanding(): Promise<Standing> {
    try {
      const { lastEventSeq, status } = await loadState(this.#store, this.#runId);
      return { seq: lastEventSeq, ended: isTerminal(status) };
    } catch (error) {
      this.#standing = null;
      throw error;
    }
  }
}

/** An event as text, made once for all readers. */
class Frames {
  readonly #event: CanonicalEngineEvent;
  readonly #made = new Map<string, Buffer>();

  constructor(event: CanonicalEngineEvent) {
    this.#event = event;
  }

  of({ payloads, ids }: ReaderPlace): Buffer {
    const kind = `${payloads} ${ids}`;
    const made = this.#made.get(kind) ?? this.#make(payloads, ids);
    this.#made.set(kind, made);
    return made;
  }

  #make(payloads: boolean, ids: boolean): Buffer {
    const data = payloads ? this.#event : withoutPayloads(this.#event);
    return frame({ ...(ids ? { id: data.runSeq } : {}), data });
  }
}
