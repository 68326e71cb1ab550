/**
 * Counts the open runs of each version. The store's port has no such query, so this reads every head once, and later only
 * heads that moved. That is fast enough for a developer's store.
 */
import type { FullStateStore, RunHead } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "@runledger/runtime/runs/load-state";

const CONCURRENCY = 20;
const FINAL_EVENT = /^Run(Completed|Failed|Cancelled)$/;

export class OpenRunCounts {
  readonly #store: FullStateStore;
  /** By run: the head that was read, and the run's version; `null` if the run is finished. */
  readonly #seen = new Map<string, { readonly headSeq: number; readonly version: string | null }>();

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Returns counts by `versionKey`. */
  async count(): Promise<ReadonlyMap<string, number>> {
    let afterRunId = "";
    for (let page = await this.#page(afterRunId); page.length > 0; page = await this.#page(afterRunId)) {
      for (let from = 0; from < page.length; from += CONCURRENCY)
        await Promise.all(page.slice(from, from + CONCURRENCY).map((head) => this.#read(head)));
      afterRunId = page.at(-1)!.runId;
    }
    const counts = new Map<string, number>();
    for (const { version } of this.#seen.values())
      if (version !== null) counts.set(version, (counts.get(version) ?? 0) + 1);
    return counts;
  }

  #page(afterRunId: string): Promise<RunHead[]> {
    return this.#store.listHeads(afterRunId === "" ? {} : { afterRunId });
  }

  async #read({ runId, headSeq }: RunHead): Promise<void> {
    if (this.#seen.get(runId)?.headSeq === headSeq) return;
    const [last] = await this.#store.fetchEvents(runId, { afterSeq: headSeq - 1, limit: 1 });
    const { planId, planVersion, eventType = "" } = last ?? {};
    const isFinished =
      FINAL_EVENT.test(eventType) || (eventType.startsWith("Signal") && (await this.#isFinished(runId)));
    const version =
      isFinished || planId === undefined || planVersion === undefined ? null : versionKey(planId, planVersion);
    this.#seen.set(runId, { headSeq, version });
  }

  /** A signal may be recorded after the run is finished. */
  async #isFinished(runId: string): Promise<boolean> {
    return isTerminal((await loadState(this.#store, runId)).status);
  }
}

export function versionKey(id: string, version: string): string {
  return `${id}@${version}`;
}
