import type { FullStateStore } from "@runledger/contracts";

export interface WalkOptions {
  /** Only this one. */
  readonly runId?: string;
  /** Those behind this one, in the order of their ids: where an earlier walk stopped. */
  readonly after?: string;
  /** Stops in front of the next run. */
  readonly signal?: AbortSignal;
}

const PAGE = 500;

/** Every run that has a log, or something that was derived from one, by id. Archived ones too. */
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

/** Both lists in one order; the page ends where the shorter one may not have told everything. */
async function nextRuns(store: FullStateStore, after: string): Promise<readonly string[]> {
  const heads = await store.listHeads({ archived: true, limit: PAGE, ...(after === "" ? {} : { afterRunId: after }) });
  const derived = await store.derived.listDerived({ afterRunId: after, limit: PAGE });
  const lists = [heads.map(({ runId }) => runId), derived];
  const ends = lists.filter((list) => list.length === PAGE).map((list) => Buffer.from(list.at(-1)!));
  const all = [...new Set(lists.flat())].map((runId) => ({ runId, bytes: Buffer.from(runId) }));
  all.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return all.filter(({ bytes }) => ends.every((end) => Buffer.compare(bytes, end) <= 0)).map(({ runId }) => runId);
}
