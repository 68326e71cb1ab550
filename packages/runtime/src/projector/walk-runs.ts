import type { FullStateStore } from "@runledger/contracts";

export interface WalkOptions {
  /** Visits only this run. */
  readonly runId?: string;
  /** Visits runs whose ids sort after this one: continues an earlier walk. */
  readonly after?: string;
  /** Stops before the next run. */
  readonly signal?: AbortSignal;
}

const PAGE = 500;

/** Yields the ids of all runs that have a log or derived data, archived runs included, in order. */
export async function* walkRuns(store: FullStateStore, options: WalkOptions): AsyncGenerator<string> {
  if (options.runId !== undefined) {
    yield options.runId;
    return;
  }
  for (let after = options.after ?? ""; ;) {
    const page = await nextRuns(store, after);
    for (const runId of page) {
      if (options.signal?.aborted === true) return;
      yield runId;
    }
    if (page.length === 0) return;
    after = page.at(-1)!;
  }
}

/** Merges heads and derived data in id order. The page ends at the last id that both lists are known to cover. */
async function nextRuns(store: FullStateStore, after: string): Promise<readonly string[]> {
  const heads = await store.listHeads({ archived: true, limit: PAGE, ...(after === "" ? {} : { afterRunId: after }) });
  const derived = await store.derived.listDerived({ afterRunId: after, limit: PAGE });
  const lists = [heads.map(({ runId }) => runId), derived];
  const ends = lists.filter((list) => list.length === PAGE).map((list) => Buffer.from(list.at(-1)!));
  const all = [...new Set(lists.flat())].map((runId) => ({ runId, bytes: Buffer.from(runId) }));
  all.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return all.filter(({ bytes }) => ends.every((end) => Buffer.compare(bytes, end) <= 0)).map(({ runId }) => runId);
}
