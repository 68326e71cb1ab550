/** Collects what all tabs of a browser watch, and receives it through one stream, or two if one cannot carry it all. */
import type { RunledgerClient } from "@runledger/client";
import { ListFeed, RunFeed, type AnyFeed, type Listener } from "./feed.js";
import type { FromHub, Subject, ToHub } from "./protocol.js";
import { Streams } from "./streams.js";

interface Watch {
  readonly key: string;
  readonly listener: Listener;
}

/** A tab, or a worker of a tab. */
export interface HubMember {
  receive(message: ToHub): void;
  leave(): void;
}

export class Hub {
  readonly #feeds = new Map<string, AnyFeed>();
  readonly #streams: Streams;

  constructor(client: RunledgerClient) {
    this.#streams = new Streams(client, () => [...this.#feeds.values()]);
  }

  join(send: (message: FromHub) => void): HubMember {
    const watches = new Map<number, Watch>();
    const leave = (id: number): void => {
      const watch = watches.get(id);
      if (watch !== undefined) this.#leave(watch);
      watches.delete(id);
    };
    return {
      receive: (message) => {
        if (message.type === "leave") leave(message.id);
        if (message.type !== "watch") return;
        const { id, subject } = message;
        watches.set(
          id,
          this.#watch(subject, (update) => send({ ...update, id })),
        );
      },
      leave: () => {
        for (const id of watches.keys()) leave(id);
      },
    };
  }

  #watch(subject: Subject, listener: Listener): Watch {
    const key = keyOf(subject);
    const feed = this.#feeds.get(key) ?? feedOf(subject);
    this.#feeds.set(key, feed);
    feed.add(listener);
    this.#streams.change();
    return { key, listener };
  }

  #leave({ key, listener }: Watch): void {
    const feed = this.#feeds.get(key);
    feed?.remove(listener);
    if (feed === undefined || feed.isWatched) return;
    this.#feeds.delete(key);
    this.#streams.change();
  }
}

function feedOf(subject: Subject): AnyFeed {
  return subject.kind === "run" ? new RunFeed(subject.runId, subject.after) : new ListFeed(subject.query);
}

/** All watches of a run share a feed, regardless of their first seq. A tab that needs earlier events loads them. */
function keyOf(subject: Subject): string {
  return subject.kind === "run" ? `run ${subject.runId}` : `runs ${JSON.stringify(subject.query)}`;
}
