/**
 * Follows the change feed and records for every subscription which runs have new events. One process does this at a time;
 * two that both believe they do record the same. Without subscriptions there is no follower, because a follower keeps
 * changes from being pruned.
 */
import type { FullStateStore, RunChange } from "@runledger/contracts";
import { FeedCursors } from "../feed/feed-cursors.js";
import type { AtCrashPoint } from "./crash-points.js";
import { failuresOf } from "./failures-of.js";

const FOLLOWER = "outbox";
const partitioning = { followerOf: () => FOLLOWER, partitionOf: () => 0 };
/** Changes recorded by one call. */
const PAGE = 1000;

export class FeedRecorder {
  readonly #store: FullStateStore;
  readonly #at: AtCrashPoint;
  readonly #onFailed: (runId: string, error: unknown) => Promise<void>;
  /** The last change of runs that could not be recorded. */
  readonly #unrecorded = new Map<string, RunChange>();
  readonly #cursors: FeedCursors;

  /** @param onFailed Called once for a run whose changes cannot be recorded. */
  constructor(store: FullStateStore, at: AtCrashPoint, onFailed: (runId: string, error: unknown) => Promise<void>) {
    this.#store = store;
    this.#at = at;
    this.#onFailed = onFailed;
    this.#cursors = new FeedCursors(store.feed, partitioning);
  }

  get isFollowing(): boolean {
    return this.#cursors.partitions.length > 0;
  }

  /** Records what the feed lists. Returns `true` if there is more. */
  async turn(): Promise<boolean> {
    if (!this.isFollowing) await this.#cursors.take(0);
    await this.#refillFresh();
    let hasMore = false;
    for await (const feed of this.#cursors.turns()) {
      await this.#at("feed-read");
      for (let at = 0; at < feed.changes.length; at += PAGE) await this.#record(feed.changes.slice(at, at + PAGE));
      feed.advance();
      await this.#at("changes-recorded");
      hasMore ||= !feed.caughtUp || feed.isReset;
    }
    return hasMore;
  }

  /** Keeps the place while runs are set aside, so that no process misses their events. */
  async save(): Promise<void> {
    await this.#retry();
    if (this.#unrecorded.size > 0) return;
    await this.#cursors.save();
    await this.#at("cursor-saved");
  }

  /** Stops following, because another process does. */
  drop(): void {
    this.#unrecorded.clear(); // the saved place is before them
    this.#cursors.drop(0);
  }

  /** Removes the follower, because there are no subscriptions. A later one is filled from the heads. */
  async remove(): Promise<void> {
    this.drop();
    await this.#store.feed.removeFollower(FOLLOWER);
  }

  /** The feed does not list what happened before a new follower (F8), or after the store went back (F9). */
  async #refillFresh(): Promise<void> {
    const fresh = this.#cursors.takeFresh();
    if (fresh.size === 0) return;
    await this.#store.outbox.refill();
    for (const partition of fresh) this.#cursors.filled(partition);
  }

  /** Sets runs aside that cannot be recorded, so that they do not stop the others. Throws if none can be recorded. */
  async #record(changes: readonly RunChange[]): Promise<void> {
    const failures = await failuresOf(changes, (some) => this.#store.outbox.recordChanges(some));
    if (failures.length > 1 && failures.length === changes.length) throw failures[0]!.error;
    for (const { item, error } of failures) await this.#setAside(item, error);
  }

  async #setAside(change: RunChange, error: unknown): Promise<void> {
    const isNew = !this.#unrecorded.has(change.runId);
    this.#unrecorded.set(change.runId, change);
    if (isNew) await this.#onFailed(change.runId, error);
  }

  async #retry(): Promise<void> {
    for (const change of this.#unrecorded.values()) {
      const failures = await failuresOf([change], (some) => this.#store.outbox.recordChanges(some));
      if (failures.length === 0) this.#unrecorded.delete(change.runId);
    }
  }
}
