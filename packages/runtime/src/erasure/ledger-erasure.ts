/** Erases payloads of finished runs on request (A6). */
import {
  DEFAULT_TENANT,
  LogGapError,
  RunNotFinishedError,
  RunNotFoundError,
  type ErasedRun,
  type FullStateStore,
} from "@runledger/contracts";
import { catchUp } from "../projector/catch-up.js";

export interface EraseOptions {
  /** Why the payloads are erased. The log keeps it, so do not name persons. */
  readonly reason: string;
  /** The caller that requested it. Default `ledger`. */
  readonly by?: string;
}

export interface EraseLabelOptions extends EraseOptions {
  /** Default: the default tenant. */
  readonly tenantId?: string;
}

/** The outcome for all runs with a label. */
export interface ErasedRuns {
  /** Runs without payloads now. */
  readonly erased: readonly string[];
  /** Runs that have not finished. Erase them again after their end. */
  readonly open: readonly string[];
}

export class LedgerErasure {
  readonly #store: FullStateStore;

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  /** Erases the payloads of a finished run. Throws RUN_NOT_FINISHED or RUN_NOT_FOUND. A repeated call changes nothing. */
  async run(runId: string, { reason, by = "ledger" }: EraseOptions): Promise<ErasedRun> {
    const outcome = await this.#store.erasure.eraseRun({ runId, by, reason });
    if (outcome.erased) return outcome;
    if (outcome.reason === "absent") throw new RunNotFoundError(runId);
    if (outcome.reason === "not-finished") throw new RunNotFinishedError(runId);
    throw await this.#gapOf(runId);
  }

  /** Erases the payloads of all finished runs that have these labels: `label({ customer: "17" }, { reason })`. */
  async label(labels: Readonly<Record<string, string>>, options: EraseLabelOptions): Promise<ErasedRuns> {
    const found = { erased: [] as string[], open: [] as string[] };
    for await (const runId of this.#runsWith(labels, options.tenantId ?? DEFAULT_TENANT)) {
      const isErased = await this.run(runId, options).then(() => true, isOpen);
      (isErased ? found.erased : found.open).push(runId);
    }
    return found;
  }

  async *#runsWith(labels: Readonly<Record<string, string>>, tenantId: string): AsyncGenerator<string> {
    await catchUp(this.#store); // in case no projector runs
    for (let cursor: string | null | undefined; cursor !== null;) {
      const place = cursor === undefined ? {} : { cursor };
      const page = await this.#store.index.listRuns({ tenantId, labels, ...place, limit: 200 });
      for (const { runId } of page.runs) yield runId;
      cursor = page.cursor;
    }
  }

  /** The log has lost events, so its end is not known (F6). */
  async #gapOf(runId: string): Promise<unknown> {
    const [head] = await this.#store.fetchHeads([runId]);
    return this.#store.projectSnapshot(runId).then(
      ({ lastEventSeq }) => new LogGapError(runId, { from: lastEventSeq + 1, to: head?.headSeq ?? 0 }),
      (error: unknown) => error,
    );
  }
}

function isOpen(error: unknown): false {
  if (error instanceof RunNotFinishedError) return false;
  throw error;
}
