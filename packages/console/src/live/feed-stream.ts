/** A stream that carries several feeds. When the feeds change, a new stream replaces it and resumes each at its position. */
import { ProblemError, type Problem, type RunledgerClient, type Watched, type WatchMessage } from "@runledger/client";
import type { AnyFeed, ListFeed, RunFeed } from "./feed.js";

/** Waits for further changes, so that quick navigation does not open a stream per page. */
const SETTLE_MS = 50;

export class FeedStream {
  readonly #client: RunledgerClient;
  readonly #wanted: () => readonly AnyFeed[];
  /** Feeds that the server rejected. The others continue without them. */
  readonly #rejected = new WeakSet<AnyFeed>();
  #carried: readonly AnyFeed[] = [];
  #abort = new AbortController();
  #isChanging = false;

  constructor(client: RunledgerClient, wanted: () => readonly AnyFeed[]) {
    this.#client = client;
    this.#wanted = wanted;
  }

  /** Call when the set of feeds may have changed. */
  change(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    setTimeout(() => {
      this.#isChanging = false;
      this.#replace();
    }, SETTLE_MS);
  }

  #replace(): void {
    const feeds = this.#wanted().filter((feed) => !this.#rejected.has(feed));
    const isSame = feeds.length === this.#carried.length && feeds.every((one) => this.#carried.includes(one));
    if (isSame) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#carried = feeds;
    if (feeds.length > 0) void this.#follow(new StreamFeeds(feeds), this.#abort.signal);
  }

  async #follow(carried: StreamFeeds, signal: AbortSignal): Promise<void> {
    const onConnection = (state: "connected" | "lost"): void => {
      if (!signal.aborted) carried.feeds.forEach((feed) => feed.setConnection(state));
    };
    try {
      for await (const message of this.#client.watch(carried.watched(), { signal, onConnection })) {
        if (signal.aborted) return; // the next stream sends it again
        carried.dispatch(message);
      }
    } catch (error) {
      if (error instanceof ProblemError && !signal.aborted) this.#fail(carried, error.problem);
    }
  }

  /** The stream stays closed until the next change. */
  #fail(carried: StreamFeeds, problem: Problem): void {
    const culprit = carried.culprit(problem);
    this.#carried = [];
    for (const feed of culprit === null ? carried.feeds : [culprit]) feed.publish({ type: "failed", problem });
    if (culprit === null) return;
    this.#rejected.add(culprit);
    this.change();
  }
}

/** The feeds of one stream, by the names that its messages use. */
class StreamFeeds {
  readonly feeds: readonly AnyFeed[];
  readonly #runs = new Map<string, RunFeed>();
  readonly #lists = new Map<string, ListFeed>();

  constructor(feeds: readonly AnyFeed[]) {
    this.feeds = feeds;
    for (const [index, feed] of feeds.entries())
      if (feed.kind === "run") this.#runs.set(feed.runId, feed);
      else this.#lists.set(String(index), feed);
  }

  watched(): Watched {
    const lists = [...this.#lists].map(([name, { query, place }]) => {
      return [name, { filter: query, ...(place !== null && { after: place }) }] as const;
    });
    const runs = [...this.#runs].map(([runId, { seq }]) => [runId, seq] as const);
    return { runs: Object.fromEntries(runs), lists: Object.fromEntries(lists), payloads: false };
  }

  dispatch(message: WatchMessage): void {
    if (message.type === "event") this.#runs.get(message.event.runId)?.receive(message.event);
    if (message.type === "refused")
      this.#runs.get(message.runId)?.publish({ type: "failed", problem: message.problem });
    if (message.type !== "snapshot" && message.type !== "change") return;
    const { list, place, ...change } = message;
    this.#lists.get(list)?.receive(change, place);
  }

  /** Returns the list that caused the server to reject the stream, or `null`. */
  culprit({ field = "" }: Problem): AnyFeed | null {
    const [, name = ""] = /^body\.lists\.(\d+)\./.exec(field) ?? [];
    return this.#lists.get(name) ?? null;
  }
}
