/**
 * How many runs of each version have not ended. The port has no such question yet, so every head is looked at once and
 * then only where it moved: enough for a developer's own store, which is what `dev` works on.
 */
import type { FullStateStore, RunHead } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { loadState } from "../ledger/load-state.js";

const AT_ONCE = 20;
const LAST = /^Run(Completed|Failed|Cancelled)$/;

export class OpenRuns {
  readonly #store: FullStateStore;
  /** By run: its head when it was looked at, and the version it is open in; null = it has ended. */
  readonly #seen = new Map<string, { readonly headSeq: number; readonly version: string | null }>();

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** By `versionKey`. */
  async count(): Promise<ReadonlyMap<string, number>> {
    let afterRunId = "";
    for (let page = await this.#page(afterRunId); page.length > 0; page = await this.#page(afterRunId)) {
      for (let from = 0; from < page.length; from += AT_ONCE)
        await Promise.all(page.slice(from, from + AT_ONCE).map((head) => this.#look(head)));
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

  async #look({ runId, headSeq }: RunHead): Promise<void> {
    if (this.#seen.get(runId)?.headSeq === headSeq) return;
    const [last] = await this.#store.fetchEvents(runId, { afterSeq: headSeq - 1, limit: 1 });
    const { planId, planVersion, eventType = "" } = last ?? {};
    const ended = LAST.test(eventType) || (eventType.startsWith("Signal") && (await this.#hasEnded(runId)));
    const version = ended || planId === undefined || planVersion === undefined ? null : versionKey(planId, planVersion);
    this.#seen.set(runId, { headSeq, version });
  }

  /** A signal may come after the end. */
  async #hasEnded(runId: string): Promise<boolean> {
    return isTerminal((await loadState(this.#store, runId)).status);
  }
}

export function versionKey(id: string, version: string): string {
  return `${id}@${version}`;
}
