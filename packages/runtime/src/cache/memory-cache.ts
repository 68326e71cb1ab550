/** Keeps entries in this process. The least recently used ones are dropped above a number of bytes. */
import type { SnapshotCache } from "@runledger/contracts";
import type { Timers } from "../time/timers.js";

export interface MemoryCacheLimits {
  /** Bytes of all entries. A character counts as two bytes, which is the most that it can take. */
  readonly maxBytes: number;
  /** Milliseconds that an entry is kept. */
  readonly ttlMs: number;
}

interface Entry {
  readonly text: string;
  readonly expiresAt: number;
}

const BYTES_PER_CHARACTER = 2;
/** An upper bound of the map's own memory per entry. */
const ENTRY_BYTES = 200;

export class MemoryCache implements SnapshotCache {
  readonly name = "memory";
  readonly isShared = false;
  readonly #limits: MemoryCacheLimits;
  readonly #timers: Pick<Timers, "now">;
  /** The least recently used entry is the first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: MemoryCacheLimits, timers: Pick<Timers, "now">) {
    this.#limits = limits;
    this.#timers = timers;
  }

  /** Bytes of all entries, as they count for the limit. */
  get bytes(): number {
    return this.#bytes;
  }

  async get(key: string): Promise<string | null> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#remove(key, entry);
    if (entry.expiresAt <= this.#timers.now()) return null;
    this.#add(key, entry);
    return entry.text;
  }

  async set(key: string, text: string): Promise<void> {
    const earlier = this.#entries.get(key);
    if (earlier !== undefined) this.#remove(key, earlier);
    if (sizeOf(key, text) > this.#limits.maxBytes) return;
    this.#add(key, { text, expiresAt: this.#timers.now() + this.#limits.ttlMs });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#limits.maxBytes) return;
      this.#remove(oldest, entry);
    }
  }

  async close(): Promise<void> {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(key, entry.text);
  }

  #remove(key: string, { text }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, text);
  }
}

function sizeOf(key: string, text: string): number {
  return BYTES_PER_CHARACTER * (key.length + text.length) + ENTRY_BYTES;
}
