/**
 * Browsers allow few connections per server, and the server limits the feeds of one stream. So there are at most two streams:
 * one for the newest feeds, which usually are all of them, and one for the rest. If the rest does not fit, its groups take
 * turns. Each turn resumes where the last one stopped, so feeds that wait are late but lose nothing.
 */
import type { RunledgerClient } from "@runledger/client";
import type { AnyFeed } from "./feed.js";
import { FeedStream } from "./feed-stream.js";
import { groupFeeds } from "./group-feeds.js";

const TURN_MS = 5000;

export class Streams {
  readonly #newest: FeedStream;
  readonly #others: FeedStream;
  #turn = 0;
  /** `null` if one group has the stream to itself. */
  #nextTurn: ReturnType<typeof setTimeout> | null = null;

  constructor(client: RunledgerClient, wanted: () => readonly AnyFeed[]) {
    this.#newest = new FeedStream(client, () => groupFeeds(wanted())[0] ?? []);
    this.#others = new FeedStream(client, () => this.#currentGroup(groupFeeds(wanted()).slice(1)));
  }

  /** Call when the set of feeds may have changed. */
  change(): void {
    this.#newest.change();
    this.#others.change();
  }

  #currentGroup(groups: readonly (readonly AnyFeed[])[]): readonly AnyFeed[] {
    if (groups.length > 1 && this.#nextTurn === null) this.#nextTurn = setTimeout(() => this.#rotate(), TURN_MS);
    return groups[this.#turn % groups.length] ?? [];
  }

  #rotate(): void {
    this.#nextTurn = null;
    this.#turn++;
    this.#others.change();
  }
}
