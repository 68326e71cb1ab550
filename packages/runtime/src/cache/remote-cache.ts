/**
 * A cache on a server. A call waits a limited time, and after a few failures calls fail at once. After a failure the
 * connection is dropped, so that the client's queue cannot grow.
 */
import type { SnapshotCache } from "@runledger/contracts";
import type { Timers } from "../time/timers.js";
import { Breaker } from "./breaker.js";

/** A connected client of a cache server. */
export interface CacheClient {
  get(key: string): Promise<string | null>;
  set(key: string, entry: string): Promise<unknown>;
  close(): void;
}

export interface RemoteCacheParts {
  readonly name: string;
  readonly connect: () => Promise<CacheClient>;
  /** Put in front of every key. */
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** Called once when calls stop because of failures. */
  readonly onUnavailable: (error: unknown) => void;
}

/** Memcached refuses larger entries by default. */
const MAX_ENTRY_BYTES = 1_000_000;

export class RemoteCache implements SnapshotCache {
  readonly isShared = true;
  readonly #parts: RemoteCacheParts;
  readonly #breaker: Breaker;
  #client: Promise<CacheClient> | null = null;
  #isClosed = false;

  constructor(parts: RemoteCacheParts) {
    this.#parts = parts;
    this.#breaker = new Breaker(parts.timers);
  }

  get name(): string {
    return this.#parts.name;
  }

  get(key: string): Promise<string | null> {
    return this.#call((client) => client.get(this.#parts.prefix + key));
  }

  async set(key: string, entry: string): Promise<void> {
    if (Buffer.byteLength(entry) > MAX_ENTRY_BYTES) return;
    await this.#call((client) => client.set(this.#parts.prefix + key, entry));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#client !== null) await this.#drop(this.#client);
  }

  async #call<T>(use: (client: CacheClient) => Promise<T>): Promise<T> {
    if (this.#isClosed || !this.#breaker.allows()) throw unavailable(this.name, "has failed before");
    const connecting = (this.#client ??= this.#parts.connect());
    try {
      const result = await this.#inTime(connecting.then(use));
      this.#breaker.succeeded();
      return result;
    } catch (error) {
      void this.#drop(connecting);
      if (this.#breaker.failed()) this.#parts.onUnavailable(error);
      throw error;
    }
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    const { timers, timeoutMs } = this.#parts;
    return new Promise((resolve, reject) => {
      const late = (): void => reject(unavailable(this.name, `has not responded within ${timeoutMs} ms`));
      const cancel = timers.after(timeoutMs, late);
      answer.then(resolve, reject).finally(cancel);
    });
  }

  async #drop(client: Promise<CacheClient>): Promise<void> {
    if (this.#client === client) this.#client = null;
    await client.then((open) => open.close()).catch(() => {}); // it is broken already
  }
}

function unavailable(name: string, why: string): Error {
  return new Error(`The cache ${name} ${why}. The store is read instead.`);
}
