/**
 * One stream for all that tabs watch. When that changes, another one takes over where this one was.
 */
import { ProblemError, type Problem, type RunledgerClient, type Watched, type WatchMessage } from "@runledger/client";
import type { AnyChannel, ListChannel, RunChannel } from "./channel.js";

/** Who goes from page to page does not have a stream opened for each. */
const SETTLE_MS = 50;

export class OneStream {
  readonly #client: RunledgerClient;
  readonly #wanted: () => readonly AnyChannel[];
  /** What a server does not take: the others go on without it. */
  readonly #refused = new WeakSet<AnyChannel>();
  #carried: readonly AnyChannel[] = [];
  #abort = new AbortController();
  #isChanging = false;

  constructor(client: RunledgerClient, wanted: () => readonly AnyChannel[]) {
    this.#client = client;
    this.#wanted = wanted;
  }

  /** Something is watched, or no longer. */
  change(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    setTimeout(() => {
      this.#isChanging = false;
      this.#replace();
    }, SETTLE_MS);
  }

  #replace(): void {
    const channels = this.#wanted().filter((channel) => !this.#refused.has(channel));
    const isSame = channels.length === this.#carried.length && channels.every((one) => this.#carried.includes(one));
    if (isSame) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#carried = channels;
    if (channels.length > 0) void this.#follow(new Carried(channels), this.#abort.signal);
  }

  async #follow(carried: Carried, signal: AbortSignal): Promise<void> {
    const onConnection = (state: "connected" | "lost"): void => {
      if (!signal.aborted) carried.channels.forEach((channel) => channel.setConnection(state));
    };
    try {
      for await (const message of this.#client.watch(carried.watched(), { signal, onConnection })) {
        if (signal.aborted) return; // the next stream brings it again
        carried.deal(message);
      }
    } catch (error) {
      if (error instanceof ProblemError && !signal.aborted) this.#fail(carried, error.problem);
    }
  }

  /** The next change opens another one. */
  #fail(carried: Carried, problem: Problem): void {
    const culprit = carried.culprit(problem);
    this.#carried = [];
    for (const channel of culprit === null ? carried.channels : [culprit]) channel.tell({ type: "failed", problem });
    if (culprit === null) return;
    this.#refused.add(culprit);
    this.change();
  }
}

/** What one stream carries, by the names that its messages use. */
class Carried {
  readonly channels: readonly AnyChannel[];
  readonly #runs = new Map<string, RunChannel>();
  readonly #lists = new Map<string, ListChannel>();

  constructor(channels: readonly AnyChannel[]) {
    this.channels = channels;
    for (const [index, channel] of channels.entries())
      if (channel.kind === "run") this.#runs.set(channel.runId, channel);
      else this.#lists.set(String(index), channel);
  }

  watched(): Watched {
    const lists = [...this.#lists].map(([name, { query, place }]) => {
      return [name, { filter: query, ...(place !== null && { after: place }) }] as const;
    });
    const runs = [...this.#runs].map(([runId, { seq }]) => [runId, seq] as const);
    return { runs: Object.fromEntries(runs), lists: Object.fromEntries(lists), payloads: false };
  }

  deal(message: WatchMessage): void {
    if (message.type === "event") this.#runs.get(message.event.runId)?.take(message.event);
    if (message.type === "refused") this.#runs.get(message.runId)?.tell({ type: "failed", problem: message.problem });
    if (message.type !== "snapshot" && message.type !== "change") return;
    const { list, place, ...change } = message;
    this.#lists.get(list)?.take(change, place);
  }

  /** Whose fault it is that a stream was not opened, if it is one list's. */
  culprit({ field = "" }: Problem): AnyChannel | null {
    const [, name = ""] = /^body\.lists\.(\d+)\./.exec(field) ?? [];
    return this.#lists.get(name) ?? null;
  }
}
