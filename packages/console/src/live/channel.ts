/** What is watched, how far it has been told, and everybody in this browser who watches it. */
import type { RunEvent, RunListMessage, RunSummary, StreamListQuery } from "@runledger/client";
import type { HubNews } from "./protocol.js";

export type Listener = (news: HubNews) => void;
type Connection = "connected" | "lost";

/** Events that come within this time are told together: a busy run must not cost a message each. */
const GATHER_MS = 50;

class Channel {
  readonly #listeners = new Set<Listener>();
  /** Null = the stream that carries it is not open yet. */
  #connection: Connection | null = null;

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whoever comes later may have missed what was told before, and reads it from the log. */
  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#connection !== null) listener({ type: "connection", state: this.#connection });
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** A stream that takes over from another one loses nothing: that it is connected is no news. */
  setConnection(state: Connection): void {
    if (this.#connection === state) return;
    this.#connection = state;
    this.tell({ type: "connection", state });
  }

  tell(news: HubNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}

export class RunChannel extends Channel {
  readonly kind = "run";
  readonly runId: string;
  #seq: number;
  #gathered: RunEvent[] = [];

  constructor(runId: string, after: number) {
    super();
    this.runId = runId;
    this.#seq = after;
  }

  /** Behind this seq its events are still to come. */
  get seq(): number {
    return this.#seq;
  }

  take(event: RunEvent): void {
    if (event.runSeq <= this.#seq) return;
    this.#seq = event.runSeq;
    this.#gathered.push(event);
    if (this.#gathered.length === 1) setTimeout(() => this.#tellGathered(), GATHER_MS);
  }

  #tellGathered(): void {
    const events = this.#gathered;
    this.#gathered = [];
    this.tell({ type: "events", events });
  }
}

export class ListChannel extends Channel {
  readonly kind = "runs";
  readonly query: StreamListQuery;
  /** What a latecomer is told first. */
  readonly #runs = new Map<string, RunSummary>();
  #place: string | null = null;

  constructor(query: StreamListQuery) {
    super();
    this.query = query;
  }

  /** Null = nothing of it is known yet. */
  get place(): string | null {
    return this.#place;
  }

  override add(listener: Listener): void {
    super.add(listener);
    if (this.#place === null) return;
    listener({ type: "runs", message: { type: "snapshot", runs: [...this.#runs.values()], gone: [] } });
  }

  take(message: RunListMessage, place: string): void {
    this.#place = place;
    if (message.type === "snapshot") this.#runs.clear();
    for (const run of message.runs) this.#runs.set(run.runId, run);
    for (const runId of message.gone) this.#runs.delete(runId);
    this.tell({ type: "runs", message });
  }
}

export type AnyChannel = RunChannel | ListChannel;
