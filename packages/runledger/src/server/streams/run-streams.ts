/**
 * Streams of runs. One follower asks for the heads of all watched runs and reads what is new of each run once, however
 * many readers it has; history is read for each reader, in pages, until it has caught up.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FullStateStore } from "@runledger/contracts";
import { RunChannel, type ReaderPlace } from "./run-channel.js";
import type { SseConnection } from "./sse-connection.js";

export interface StreamOptions {
  /** How often heads are asked for while anybody watches. Default 50 ms. */
  readonly pollMs?: number;
  /** Told about what went wrong; the follower goes on. */
  readonly onError?: (error: unknown) => void;
}

const AFTER_ERROR_MS = 1000;
const HEADS_AT_ONCE = 1000;

export class RunStreams {
  readonly #store: FullStateStore;
  readonly #options: Required<StreamOptions>;
  readonly #channels = new Map<string, RunChannel>();
  #following = false;
  #closed = false;

  constructor(store: FullStateStore, options: StreamOptions = {}) {
    this.#store = store;
    this.#options = { pollMs: 50, onError: () => {}, ...options };
  }

  /** Sends what came after `afterSeq`, then what comes. */
  watch(params: ReaderPlace & { readonly runId: string }, to: SseConnection): void {
    const channel = this.#channel(params.runId);
    channel.add(to, params);
    to.onClose(() => {
      channel.remove(to);
      if (channel.size === 0 && this.#channels.get(params.runId) === channel) this.#channels.delete(params.runId);
    });
    if (!this.#following) void this.#follow();
  }

  /** Follows no more. */
  close(): void {
    this.#closed = true;
    this.#channels.clear();
  }

  #channel(runId: string): RunChannel {
    const known = this.#channels.get(runId);
    if (known !== undefined) return known;
    const channel = new RunChannel(this.#store, runId, this.#options.onError);
    this.#channels.set(runId, channel);
    return channel;
  }

  async #follow(): Promise<void> {
    this.#following = true;
    while (this.#channels.size > 0) {
      try {
        await this.#readHeads();
        await sleep(this.#options.pollMs);
      } catch (error) {
        if (!this.#closed) this.#options.onError(error);
        await sleep(AFTER_ERROR_MS);
      }
    }
    this.#following = false;
  }

  async #readHeads(): Promise<void> {
    const runIds = [...this.#channels.keys()];
    for (let from = 0; from < runIds.length; from += HEADS_AT_ONCE) {
      const heads = await this.#store.fetchHeads(runIds.slice(from, from + HEADS_AT_ONCE));
      await Promise.all(heads.map(async ({ runId, headSeq }) => this.#channels.get(runId)?.advance(headSeq)));
    }
  }
}
