/**
 * Streams of runs. One follower asks for the heads of all watched runs and reads what is new of each run once, however
 * many readers it has; history is read for each reader, in pages, until it has caught up.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RetryError, type FullStateStore } from "@runledger/contracts";
import { RunChannel } from "./run-channel.js";
import type { SseConnection } from "./sse-connection.js";

export interface StreamOptions {
  /** How often heads are asked for while anybody watches. Default 50 ms. */
  readonly pollMs?: number;
  /** Default 15 s: less than what proxies take for silence. */
  readonly heartbeatMs?: number;
  /** Default 10,000. */
  readonly maxReaders?: number;
  /** A reader that takes nothing of what waits for it for so long is closed. Default 10 s. */
  readonly stuckMs?: number;
  /** Told about what went wrong; the follower goes on. */
  readonly onError?: (error: unknown) => void;
}

const AFTER_ERROR_MS = 1000;
const HEADS_AT_ONCE = 1000;
const HEARTBEAT = Buffer.from(": still here\n\n");

export class RunStreams {
  readonly #store: FullStateStore;
  readonly #options: Required<StreamOptions>;
  readonly #channels = new Map<string, RunChannel>();
  readonly #heartbeat: NodeJS.Timeout;
  #following = false;
  #closed = false;

  constructor(store: FullStateStore, options: StreamOptions = {}) {
    this.#store = store;
    this.#options = {
      pollMs: 50,
      heartbeatMs: 15_000,
      maxReaders: 10_000,
      stuckMs: 10_000,
      onError: () => {},
      ...options,
    };
    this.#heartbeat = setInterval(() => this.#toAll((channel) => channel.say(HEARTBEAT)), this.#options.heartbeatMs);
    this.#heartbeat.unref();
  }

  get stuckMs(): number {
    return this.#options.stuckMs;
  }

  /** Asked for before a stream is promised: afterwards it is too late for an error. */
  checkRoom(): void {
    if (this.#closed) throw new RetryError("SERVER_STOPPING", "The server is being stopped; connect again.");
    const readers = [...this.#channels.values()].reduce((sum, { size }) => sum + size, 0);
    if (readers >= this.#options.maxReaders)
      throw new RetryError(
        "SERVER_BUSY",
        `The server has ${readers} open streams, as many as it takes; try again later.`,
      );
  }

  /** Sends what came after `afterSeq`, then what comes. */
  watch(
    params: { readonly runId: string; readonly afterSeq: number; readonly payloads: boolean },
    to: SseConnection,
  ): void {
    const channel = this.#channel(params.runId);
    channel.add(to, params);
    to.onClose(() => {
      channel.remove(to);
      if (channel.size === 0 && this.#channels.get(params.runId) === channel) this.#channels.delete(params.runId);
    });
    if (!this.#following) void this.#follow();
  }

  /** Ends every stream; readers connect again elsewhere. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#toAll((channel) => channel.end());
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

  #toAll(action: (channel: RunChannel) => void): void {
    for (const channel of this.#channels.values()) action(channel);
  }
}
