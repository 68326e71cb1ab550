/** Sends changes among the newest runs of one list to all of its subscribers. */
import { randomUUID } from "node:crypto";
import type { RunFilter, RunIndex, RunSummary } from "@runledger/contracts";
import { ListMessage } from "./list-message.js";
import type { SseConnection } from "./sse-connection.js";

/** More than a screen shows. Readers request older runs by page. */
const MAX_RUNS = 100;
/** A subscriber that missed more updates receives a snapshot. */
const MAX_UPDATES = 100;

export interface ListSubscription {
  /** Cursor to resume after; `null` for a new subscriber. */
  readonly after: string | null;
  /** Name of the list in a stream of several; `null` if the stream has only this list. */
  readonly list: string | null;
}

interface Subscriber extends ListSubscription {
  readonly connection: SseConnection;
  /** `new` before its first message. `slow` while its connection is full: it receives nothing until that drains. */
  state: "new" | "live" | "slow";
}

export class ListBroadcast {
  readonly #lists: Pick<RunIndex, "listRuns">;
  readonly #filter: RunFilter;
  readonly #subscribers = new Set<Subscriber>();
  /** Part of each cursor: cursors are valid only for this instance. */
  readonly #instanceId = randomUUID();
  readonly #updates: { readonly number: number; readonly message: ListMessage }[] = [];
  #number = 0;
  #runs: readonly RunSummary[] = [];
  #pending: Promise<void> | null = null;

  constructor(lists: Pick<RunIndex, "listRuns">, filter: RunFilter) {
    this.#lists = lists;
    this.#filter = filter;
  }

  get tenantId(): string {
    return this.#filter.tenantId ?? "";
  }

  get size(): number {
    return this.#subscribers.size;
  }

  /** Returns a function that removes the subscriber. */
  add(connection: SseConnection, subscription: ListSubscription): () => void {
    const subscriber: Subscriber = { ...subscription, connection, state: "new" };
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Reads the list and sends what changed. Concurrent calls share one read. */
  poll(): Promise<void> {
    this.#pending ??= this.#readList().finally(() => (this.#pending = null));
    return this.#pending;
  }

  async #readList(): Promise<void> {
    const { runs } = await this.#lists.listRuns({ ...this.#filter, limit: MAX_RUNS });
    const changed = changedRuns(this.#runs, runs);
    const gone = goneRuns(this.#runs, runs);
    this.#runs = runs;
    if (changed.length + gone.length > 0) this.#broadcast({ runs: changed, gone });
    for (const subscriber of this.#subscribers) if (subscriber.state === "new") this.#sendFirst(subscriber);
  }

  #broadcast(data: { readonly runs: readonly RunSummary[]; readonly gone: readonly string[] }): void {
    const number = ++this.#number;
    const message = new ListMessage({ place: this.#cursor(), type: "change", data });
    this.#updates.push({ number, message });
    if (this.#updates.length > MAX_UPDATES) this.#updates.shift();
    for (const subscriber of this.#subscribers) if (subscriber.state === "live") this.#send(subscriber, message);
  }

  #send(subscriber: Subscriber, message: ListMessage): void {
    subscriber.connection.send(message.encode(subscriber.list));
    if (!subscriber.connection.isFull) return;
    subscriber.state = "slow";
    const number = this.#number;
    void subscriber.connection.waitUntilDrained().then(() => {
      if (number === this.#number) subscriber.state = "live";
      else this.#sendSnapshot(subscriber); // it missed updates
    });
  }

  /** Sends the updates since the subscriber's cursor if all are still cached, else a snapshot. */
  #sendFirst(subscriber: Subscriber): void {
    const [instanceId, number] = subscriber.after?.split(".") ?? [];
    const missed = this.#updates.filter((update) => update.number > Number(number));
    const isCached = instanceId === this.#instanceId && missed.length === this.#number - Number(number);
    subscriber.state = "live";
    if (!isCached) return this.#sendSnapshot(subscriber);
    for (const { message } of missed) subscriber.connection.send(message.encode(subscriber.list));
  }

  #sendSnapshot(subscriber: Subscriber): void {
    subscriber.state = "live";
    const message = new ListMessage({ place: this.#cursor(), type: "snapshot", data: { runs: this.#runs } });
    subscriber.connection.send(message.encode(subscriber.list));
  }

  #cursor(): string {
    return `${this.#instanceId}.${this.#number}`;
  }
}

/** Runs that are new or changed, oldest first, which is the order in which they were created. */
function changedRuns(before: readonly RunSummary[], now: readonly RunSummary[]): RunSummary[] {
  const known = new Map(before.map((run) => [run.runId, JSON.stringify(run)]));
  return now.filter((run) => known.get(run.runId) !== JSON.stringify(run)).reverse();
}

/** Ids of runs that no longer match. Runs that newer ones pushed past the limit are not gone. */
function goneRuns(before: readonly RunSummary[], now: readonly RunSummary[]): string[] {
  const present = new Set(now.map(({ runId }) => runId));
  const end = now.length < MAX_RUNS ? "" : now.at(-1)!.createdAt;
  return before.filter(({ runId, createdAt }) => !present.has(runId) && createdAt > end).map(({ runId }) => runId);
}
