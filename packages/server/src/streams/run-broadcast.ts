/** Sends the events of one run to all of its subscribers. */
import { LogGapError, type CanonicalEngineEvent, type FullStateStore, type RunledgerError } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "@runledger/runtime/runs/load-state";
import { EncodedEvent } from "./encoded-event.js";
import { readEventPage, type EventPage } from "./event-page.js";
import { encodeMessage, type SseConnection } from "./sse-connection.js";

/** Small, because every subscriber that reads history holds a page. */
const PAGE = { limit: 100, maxBytes: 512 * 1024 };
const TERMINAL_EVENT = /^Run(Completed|Failed|Cancelled)$/;

/** Which events a subscriber receives, and in which form. */
export interface RunSubscription {
  readonly afterSeq: number;
  readonly payloads: boolean;
  /** `false` if the stream has several runs: a message id could not resume all of them. */
  readonly ids: boolean;
  /** Closes the connection once the run is finished. */
  readonly untilEnded?: boolean;
}

export interface BroadcastOptions {
  readonly onError: (error: unknown) => void;
  /** Describes an error to a subscriber. */
  readonly toProblem: (error: RunledgerError) => object;
  /** Delays reads of history until it is the tenant's turn. New events are read immediately. */
  readonly queued?: (read: () => Promise<EventPage>) => Promise<EventPage>;
}

interface Subscriber {
  readonly connection: SseConnection;
  readonly subscription: RunSubscription;
  sentSeq: number;
  /** `false` while it reads history. */
  live: boolean;
}

/** Whether the run was finished at `seq`. No later event that was broadcast changed that. */
interface EndState {
  readonly seq: number;
  readonly ended: boolean;
}

export class RunBroadcast {
  readonly #store: FullStateStore;
  readonly #runId: string;
  readonly #onError: (error: unknown) => void;
  readonly #toProblem: BroadcastOptions["toProblem"];
  readonly #queued: NonNullable<BroadcastOptions["queued"]>;
  readonly #subscribers = new Map<SseConnection, Subscriber>();
  /** Pages of history that are being read, so that concurrent subscribers share a query. */
  readonly #pages = new Map<number, Promise<EventPage>>();
  /** Last event that live subscribers have; `null` if no subscriber has caught up yet. */
  #seq: number | null = null;
  #endState: Promise<EndState> | null = null;

  constructor(
    store: FullStateStore,
    runId: string,
    { onError, toProblem, queued = (read) => read() }: BroadcastOptions,
  ) {
    this.#toProblem = toProblem;
    this.#store = store;
    this.#onError = onError;
    this.#runId = runId;
    this.#queued = queued;
  }

  get size(): number {
    return this.#subscribers.size;
  }

  add(connection: SseConnection, subscription: RunSubscription): void {
    const subscriber: Subscriber = { connection, subscription, sentSeq: subscription.afterSeq, live: false };
    this.#subscribers.set(connection, subscriber);
    this.#catchUp(subscriber);
  }

  remove(connection: SseConnection): void {
    this.#subscribers.delete(connection);
  }

  /** Reads new events up to `headSeq` and sends them to all live subscribers. */
  async advance(headSeq: number): Promise<void> {
    while (this.#seq !== null && this.#seq < headSeq) {
      const seq = this.#seq;
      const { events } = await this.#page(seq).catch((error: unknown) => this.#refuseLive(error));
      const isStuck = events.length === 0 && this.#seq === seq;
      if (isStuck && !this.#store.capabilities.contiguous) return; // the gap fills, or is settled (P10)
      if (isStuck) this.#refuseLive(new LogGapError(this.#runId, { from: seq + 1, to: headSeq }));
      for (const event of events) this.#broadcast(event);
    }
  }

  /** F6: events are missing after the last one that was sent. Polls no longer until a new subscriber arrives. */
  #refuseLive(error: unknown): Pick<EventPage, "events"> {
    if (!(error instanceof LogGapError)) throw error;
    this.#seq = null;
    for (const subscriber of this.#subscribers.values()) if (subscriber.live) this.#refuse(subscriber, error);
    return { events: [] };
  }

  #refuse({ connection }: Subscriber, error: LogGapError): void {
    this.#subscribers.delete(connection);
    const data = { runId: this.#runId, problem: this.#toProblem(error) };
    connection.send(encodeMessage({ event: "refused", data }));
  }

  /** Sends history until the subscriber is live. A live subscriber that is too slow returns here and reads at its own pace. */
  #catchUp(subscriber: Subscriber): void {
    subscriber.live = false;
    this.#readHistory(subscriber).catch((error: unknown) => {
      if (error instanceof LogGapError) return this.#refuse(subscriber, error);
      this.#onError(error);
      subscriber.connection.end(); // the client reconnects and resumes after its last event
    });
  }

  async #readHistory(subscriber: Subscriber): Promise<void> {
    const { connection } = subscriber;
    while (connection.isOpen) {
      await connection.waitUntilDrained();
      const { events, isFull } = await this.#historyPage(subscriber.sentSeq);
      for (const event of events) {
        this.#send(subscriber, new EncodedEvent(event));
        await connection.waitUntilDrained();
      }
      if (isFull) continue;
      const { seq, ended } = await (this.#endState ??= this.#readEndState());
      if (subscriber.sentSeq < Math.max(seq, this.#seq ?? 0)) continue; // newer events exist, perhaps the final one
      // No await from here on: the subscriber is live before the next event is broadcast.
      this.#seq ??= subscriber.sentSeq;
      subscriber.live = true;
      const data = { type: "caught-up", runId: this.#runId, headSeq: subscriber.sentSeq, ended };
      connection.send(encodeMessage({ event: "caught-up", data }));
      if (ended && subscriber.subscription.untilEnded === true) connection.end();
      return;
    }
  }

  #page(afterSeq: number): Promise<EventPage> {
    return readEventPage(this.#store, this.#runId, { afterSeq, ...PAGE });
  }

  #historyPage(afterSeq: number): Promise<EventPage> {
    const pending = this.#pages.get(afterSeq);
    if (pending !== undefined) return pending;
    const page = this.#queued(() => this.#page(afterSeq));
    this.#pages.set(afterSeq, page);
    const forget = (): void => void this.#pages.delete(afterSeq);
    page.then(forget, forget);
    return page;
  }

  #broadcast(event: CanonicalEngineEvent): void {
    const { runSeq, eventType } = event;
    this.#seq = runSeq;
    const ended = TERMINAL_EVENT.test(eventType);
    if (ended || eventType === "RunReopened") this.#endState = Promise.resolve({ seq: runSeq, ended });
    const encoded = new EncodedEvent(event);
    for (const subscriber of this.#subscribers.values()) {
      if (!subscriber.live) continue;
      this.#send(subscriber, encoded);
      if (subscriber.connection.isFull) this.#catchUp(subscriber);
    }
  }

  #send(subscriber: Subscriber, encoded: EncodedEvent): void {
    const { connection, subscription } = subscriber;
    const { runId, runSeq, eventType } = encoded.event;
    if (runSeq <= subscriber.sentSeq) return; // its history page was ahead of the broadcast
    connection.send(encoded.bytes(subscription));
    subscriber.sentSeq = runSeq;
    if (!TERMINAL_EVENT.test(eventType)) return;
    connection.send(encodeMessage({ event: "ended", data: { type: "ended", runId, runSeq } }));
    // While it reads history, the run may have been reopened later. `caught-up` decides then.
    if (subscriber.live && subscription.untilEnded === true) connection.end();
  }

  /** A failed read is not cached, because other subscribers may keep the broadcast alive. */
  async #readEndState(): Promise<EndState> {
    try {
      const { lastEventSeq, status } = await loadState(this.#store, this.#runId);
      return { seq: lastEventSeq, ended: isTerminal(status) };
    } catch (error) {
      this.#endState = null;
      throw error;
    }
  }
}
