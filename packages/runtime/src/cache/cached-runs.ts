/**
 * Reads runs through a cache. The head and the header of the projection are always read from the store, and determine the
 * version of the run. An entry counts only if it has this version (F10): an old entry, of an evicted, restarted or restored
 * cache or of an erased run, is never served.
 */
import {
  RunNotFoundError,
  sha256Hex,
  type FullStateStore,
  type Projection,
  type RunHead,
  type RunHeader,
  type SnapshotCache,
  type StepRow,
  type TenantStore,
} from "@runledger/contracts";
import { packageVersion } from "../config/package-version.js";
import { readRun, readSteps, type StepsQuery } from "../runs/read-run.js";
import type { CacheMetrics } from "./cache-metrics.js";
import { SharedReads } from "./shared-reads.js";

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
  /** By tenant, as long as a read is running. */
  readonly #heads = new Map<string, TenantHeads>();
  readonly #projections: SharedReads<Projection>;

  constructor(parts: CachedRunsParts) {
    this.#parts = parts;
    this.#projections = new SharedReads((runIds) => readProjections(parts.store, runIds));
  }

  /** Returns the head of a run of this tenant. Throws RUN_NOT_FOUND. Concurrent requests share a read. */
  async findRun(store: TenantStore, runId: string): Promise<RunHead> {
    const heads = this.#heads.get(store.tenantId) ?? { reads: headsOf(store), users: 0 };
    this.#heads.set(store.tenantId, heads);
    heads.users++;
    try {
      const head = await heads.reads.get(runId);
      if (head === undefined) throw new RunNotFoundError(runId);
      return head;
    } finally {
      if (--heads.users === 0) this.#heads.delete(store.tenantId);
    }
  }

  /** Like `readRun`. The head is from `findRun`, so the run belongs to the caller's tenant. */
  async readRun(head: RunHead): Promise<RunHeader> {
    const { store } = this.#parts;
    const read = (projection: Projection | null): Promise<RunHeader> => readRun(store, head, projection);
    return this.#through(head, "run", read, (run) => run.stale !== true && isWhole(run));
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
    const { cache } = this.#parts;
    const reading = this.#projections.get(head.runId).then((projection) => projection ?? null);
    if (cache === null) return read(await reading);
    const key = this.#keyOf(head, part);
    const [projection, entry] = await Promise.all([reading, this.#get(cache, key)]);
    const version = versionOf(head, projection);
    const cached = version === null || entry === null ? null : valueOf(entry, version);
    if (cached !== null) {
      this.#count(cache, "hit");
      return cached.value as T;
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

interface TenantHeads {
  readonly reads: SharedReads<RunHead>;
  users: number;
}

function headsOf(store: TenantStore): SharedReads<RunHead> {
  return new SharedReads(async (runIds) => new Map((await store.fetchHeads(runIds)).map((head) => [head.runId, head])));
}

async function readProjections(
  { snapshots }: FullStateStore,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Projection>> {
  const found = await snapshots.readProjections(runIds.map((runId) => ({ runId, stepIds: [] })));
  return new Map(found.flatMap((projection, index) => (projection === null ? [] : [[runIds[index]!, projection]])));
}

/** An output that could not be read now may be readable later. */
export function isWhole({ output, outputArtifact }: RunHeader): boolean {
  return outputArtifact === undefined || output !== undefined;
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
function valueOf(entry: string, version: string): { readonly value: unknown } | null {
  if (!entry.startsWith(`${version}\n`)) return null;
  try {
    return { value: JSON.parse(entry.slice(version.length + 1)) as unknown };
  } catch {
    return null;
  }
}
