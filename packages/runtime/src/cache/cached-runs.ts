/**
 * Reads runs through a cache. The head and the header of the projection are always read from the store, and determine the
 * version of the run. An entry counts only if it has this version (F10): an old entry, of an evicted, restarted or restored
 * cache or of an erased run, is never served.
 */
import {
  sha256Hex,
  type FullStateStore,
  type Projection,
  type RunHead,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import type { SnapshotCache } from "@runledger/contracts";
import { packageVersion } from "../config/package-version.js";
import { readRun, readSteps, type StepsQuery } from "../runs/read-run.js";
import type { CacheMetrics } from "./cache-metrics.js";

export interface CachedRunsParts {
  readonly store: FullStateStore;
  /** `null` if nothing is cached. */
  readonly cache: SnapshotCache | null;
  /** Separates readers who see payloads from those who do not. */
  readonly view: "payloads" | "concealed";
  readonly metrics: CacheMetrics;
}

export class CachedRuns {
  readonly #parts: CachedRunsParts;

  constructor(parts: CachedRunsParts) {
    this.#parts = parts;
  }

  /** Like `readRun`. The caller has read the head from the store of its tenant. */
  async readRun(head: RunHead): Promise<RunHeader> {
    const { store } = this.#parts;
    const read = (projection: Projection | null): Promise<RunHeader> => readRun(store, head, projection);
    return this.#through(head, "run", read, ({ stale }) => stale !== true);
  }

  /** Like `readSteps`. */
  async readSteps(head: RunHead, query: StepsQuery): Promise<readonly StepRow[]> {
    const { store } = this.#parts;
    const read = (projection: Projection | null): Promise<readonly StepRow[]> =>
      readSteps(store, head, query, projection);
    return this.#through(head, `steps ${query.afterOrdinal} ${query.limit}`, read, () => true);
  }

  async #through<T>(
    head: RunHead,
    part: string,
    read: (projection: Projection | null) => Promise<T>,
    isComplete: (value: T) => boolean,
  ): Promise<T> {
    const { store, cache } = this.#parts;
    const { runId } = head;
    const reading = store.snapshots.readProjection({ runId, stepIds: [] });
    if (cache === null) return read(await reading);
    const key = this.#keyOf(head, part);
    const [projection, entry] = await Promise.all([reading, this.#get(cache, key)]);
    const version = versionOf(head, projection);
    const cached = version === null || entry === null ? null : valueOf<T>(entry, version);
    if (cached !== null) {
      this.#count(cache, "hit");
      return cached.value;
    }
    if (entry !== UNAVAILABLE) this.#count(cache, version === null ? "behind" : entry === null ? "miss" : "outdated");
    const value = await read(projection);
    if (version !== null && isComplete(value))
      void cache.set(key, `${version}\n${JSON.stringify(value)}`).catch(() => {}); // the store has it
    return value;
  }

  async #get(cache: SnapshotCache, key: string): Promise<string | null> {
    try {
      return await cache.get(key);
    } catch {
      this.#count(cache, "unavailable");
      return UNAVAILABLE;
    }
  }

  #count({ name: cache }: SnapshotCache, result: string): void {
    this.#parts.metrics.reads.add(1, { cache, result });
  }

  /** Releases with other snapshots do not share entries. */
  #keyOf({ tenantId, runId }: RunHead, part: string): string {
    return sha256Hex(JSON.stringify([packageVersion(), this.#parts.view, tenantId, runId, part]));
  }
}

/** No entry has this text, because a version is never empty. */
const UNAVAILABLE = "";

/**
 * Changes with every event, erasure and rebuild, and when the run is deleted and its id used again. Returns `null` if the
 * projection is not at the head.
 */
function versionOf({ headSeq, persistedAt }: RunHead, projection: Projection | null): string | null {
  if (projection === null || projection.header.lastEventSeq !== headSeq) return null;
  const { header, generation = 0 } = projection;
  return JSON.stringify([headSeq, persistedAt, generation, header.erased?.at ?? null]);
}

/** Returns `null` if the entry has another version, or is damaged. */
function valueOf<T>(entry: string, version: string): { readonly value: T } | null {
  if (!entry.startsWith(`${version}\n`)) return null;
  try {
    return { value: JSON.parse(entry.slice(version.length + 1)) as T };
  } catch {
    return null;
  }
}
