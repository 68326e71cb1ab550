/** A run or a list that tabs of this browser watch, with its position in the stream and its listeners. */
import type { RunEvent, RunListMessage, RunSummary, StreamListQuery } from "@runledger/client";
import type { HubUpdate } from "./protocol.js";

export type Listener = (update: HubUpdate) => void;
type Connection = "connected" | "lost";

/** Events that arrive within this time are sent together, so that a busy run does not cost a message per event. */
const BATCH_MS = 50;

class Feed {
  readonly #listeners = new Set<Listener>();
  /** `null` until its stream is open. */
  #connection: Connection | null = null;

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** A listener that joins later may have missed updates. It loads them from the log. */
  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#connection !== null) listener({ type: "connection", state: this.#connection });
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** A stream that replaces another one loses nothing, so listeners are notified only if the state changes. */
  setConnection(state: Connection): void {
    if (this.#connection === state) return;
    this.#connection = state;
    this.publish({ type: "connection", state });
  }

  publish(update: HubUpdate): void {
    for (const listener of this.#listeners) listener(update);
  }
}

export class RunFeed extends Feed {
  readonly kind = "run";
  readonly runId: string;
  #seq: number;
  #batch: RunEvent[] = [];

  constructor(runId: string, after: number) {
    super();
    this.runId = runId;
    this.#seq = after;
  }

  /** The seq of the last event that was received. */
  get seq(): number {
    return this.#seq;
  }

  receive(event: RunEvent): void {
    if (event.runSeq <= this.#seq) return;
    this.#seq = event.runSeq;
    this.#batch.push(event);
    if (this.#batch.length === 1) setTimeout(() => this.#publishBatch(), BATCH_MS);
  }

  #publishBatch(): void {
    const events = this.#batch;
    this.#batch = [];
    this.publish({ type: "events", events });
  }
}

export class ListFeed extends Feed {
  readonly kind = "runs";
  readonly query: StreamListQuery;
  /** The current list, sent to a listener that joins later. */
  readonly #runs = new Map<string, RunSummary>();
  #place: string | null = null;

  constructor(query: StreamListQuery) {
    super();
    this.query = query;
  }

  /** The position in the stream. `null` until the first message. */
  get place(): string | null {
    return this.#place;
  }

  override add(listener: Listener): void {
    super.add(listener);
    if (this.#place === null) return;
    listener({ type: "runs", message: { type: "snapshot", runs: [...this.#runs.values()], gone: [] } });
  }

  receive(message: RunListMessage, place: string): void {
    this.#place = place;
    if (message.type === "snapshot") this.#runs.clear();
    for (const run of message.runs) this.#runs.set(run.runId, run);
    for (const runId of message.gone) this.#runs.delete(runId);
    this.publish({ type: "runs", message });
  }
}

export type AnyFeed = RunFeed | ListFeed;
