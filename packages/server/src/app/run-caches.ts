/** The caches of a server. A shared cache never contains decrypted payloads: those stay in this process. */
import type { FullStateStore, SnapshotCache } from "@runledger/contracts";
import { CachedRuns } from "@runledger/runtime/cache/cached-runs";
import { cacheMetrics, observeBytes, type CacheMetrics } from "@runledger/runtime/cache/cache-metrics";
import { MemoryCache } from "@runledger/runtime/cache/memory-cache";
import { localCache, openCache, type CacheSettings } from "@runledger/runtime/cache/open-cache";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { meterOf } from "@runledger/runtime/telemetry/instruments";
import type { LogEntry } from "./log-entry.js";

export class RunCaches {
  readonly #store: FullStateStore;
  readonly #metrics: CacheMetrics;
  readonly #cache: SnapshotCache | null;
  /** For payloads that the store encrypts. */
  readonly #private: SnapshotCache | null;
  readonly #stopObserving: () => void;

  static async open(
    ledger: Ledger,
    settings: CacheSettings = {},
    log: (entry: LogEntry) => void = () => {},
  ): Promise<RunCaches> {
    const message = "The cache does not respond. Runs are read from the store until it does.";
    const onUnavailable = (error: unknown): void => log({ level: "warn", message, error });
    return new RunCaches(ledger, await openCache(settings, { onUnavailable }), settings);
  }

  private constructor({ store, metrics }: Ledger, cache: SnapshotCache | null, settings: CacheSettings) {
    const meter = meterOf(metrics);
    this.#store = store;
    this.#metrics = cacheMetrics(meter);
    this.#cache = cache;
    const isEncrypted = store.concealed !== undefined;
    this.#private = isEncrypted && cache?.isShared === true ? localCache(settings) : cache;
    const local = this.#private;
    this.#stopObserving = local instanceof MemoryCache ? observeBytes(meter, () => local.bytes) : () => {};
  }

  withPayloads(): CachedRuns {
    return new CachedRuns({ store: this.#store, cache: this.#private, view: "payloads", metrics: this.#metrics });
  }

  /** For readers who may not see payloads. */
  concealed(store: FullStateStore): CachedRuns {
    return new CachedRuns({ store, cache: this.#cache, view: "concealed", metrics: this.#metrics });
  }

  async close(): Promise<void> {
    this.#stopObserving();
    await this.#cache?.close();
    await this.#private?.close();
  }
}
