import {
  checkIdentifier,
  RunNotFoundError,
  type AppendOptions,
  type AppendResult,
  type CanonicalEngineEvent,
  type EventLog,
  type IRunStateStore,
  type NewEvent,
  type RunHead,
  type RunSnapshot,
} from "@runledger/contracts";
import { evolve } from "../fold/evolve.js";
import { initialState } from "../fold/run-state.js";
import { toRunSnapshot } from "../fold/to-run-snapshot.js";
import { prepareCall } from "./append-call.js";
import { checkIdentifiers, checkWhole } from "./check-arguments.js";
import type { Coalescer } from "./coalescer.js";
import type { FetchParams, LogOperations } from "./log-operations.js";

const PAGE = 1000;

/**
 * The log of a store, as its callers see it: arguments are checked, defaults filled in, appends coalesced, and
 * everything is narrowed to one tenant where there is one. The backend does the rest.
 */
export class StoreLog implements IRunStateStore, EventLog {
  readonly #operations: LogOperations;
  readonly #coalescer: Coalescer;
  /** Undefined = sees every tenant. */
  readonly tenantId: string | undefined;

  constructor(operations: LogOperations, coalescer: Coalescer, tenantId?: string) {
    if (tenantId !== undefined) checkIdentifier("tenantId", tenantId);
    this.#operations = operations;
    this.#coalescer = coalescer;
    this.tenantId = tenantId;
  }

  async appendEvent(event: NewEvent): Promise<AppendResult> {
    const [result] = await this.appendEvents([event]);
    return result!;
  }

  async appendEvents(events: readonly NewEvent[], options: AppendOptions = {}): Promise<readonly AppendResult[]> {
    return this.#coalescer.append(prepareCall(events, options, { tenantId: this.tenantId }), options.signal);
  }

  async fetchEvents(
    runId: string,
    options: { readonly afterSeq?: number; readonly limit?: number } = {},
  ): Promise<CanonicalEngineEvent[]> {
    const { afterSeq = 0, limit = PAGE } = options;
    this.#coalescer.assertOpen();
    checkIdentifier("runId", runId);
    checkWhole("afterSeq", afterSeq, 0);
    checkWhole("limit", limit, 1);
    return this.#fetch({ runId, afterSeq, limit, toSeq: Number.MAX_SAFE_INTEGER });
  }

  /** Page by page, the next one on its way while this one is read: flat memory, nothing held open in between. */
  async *streamEvents(
    runId: string,
    options: { readonly afterSeq?: number; readonly toSeq?: number } = {},
  ): AsyncGenerator<CanonicalEngineEvent> {
    const { afterSeq = 0, toSeq = Number.MAX_SAFE_INTEGER } = options;
    this.#coalescer.assertOpen();
    checkIdentifier("runId", runId);
    checkWhole("afterSeq", afterSeq, 0);
    checkWhole("toSeq", toSeq, 0);
    const { tenantId } = this;
    if (this.#operations.streamEvents !== undefined) {
      yield* this.#operations.streamEvents({ runId, afterSeq, toSeq, tenantId });
      return;
    }
    let next: Promise<CanonicalEngineEvent[]> | null = this.#fetch({ runId, afterSeq, toSeq, limit: PAGE });
    while (next !== null) {
      const page: CanonicalEngineEvent[] = await next;
      const last = page.at(-1);
      next = last === undefined || page.length < PAGE ? null : this.#ahead({ runId, afterSeq: last.runSeq, toSeq });
      yield* page;
    }
  }

  async fetchByKeys(runId: string, idempotencyKeys: readonly string[]): Promise<CanonicalEngineEvent[]> {
    this.#coalescer.assertOpen();
    checkIdentifier("runId", runId);
    checkIdentifiers("idempotencyKeys", idempotencyKeys);
    return this.#operations.fetchByKeys({ runId, keys: idempotencyKeys, tenantId: this.tenantId });
  }

  async fetchHeads(runIds: readonly string[]): Promise<RunHead[]> {
    this.#coalescer.assertOpen();
    checkIdentifiers("runIds", runIds);
    return this.#operations.fetchHeads({ runIds, tenantId: this.tenantId });
  }

  async listHeads(
    options: { readonly afterRunId?: string; readonly limit?: number; readonly archived?: boolean } = {},
  ): Promise<RunHead[]> {
    const { afterRunId = "", limit = PAGE, archived = false } = options;
    this.#coalescer.assertOpen();
    if (afterRunId !== "") checkIdentifier("afterRunId", afterRunId);
    checkWhole("limit", limit, 1);
    return this.#operations.listHeads({ afterRunId, limit, archived, tenantId: this.tenantId });
  }

  async getSnapshot(runId: string): Promise<RunSnapshot | null> {
    this.#coalescer.assertOpen();
    checkIdentifier("runId", runId);
    return this.#operations.getSnapshot({ runId, tenantId: this.tenantId });
  }

  async projectSnapshot(runId: string): Promise<RunSnapshot> {
    let state = initialState(runId);
    for await (const event of this.streamEvents(runId)) state = evolve(state, event);
    if (state.lastEventSeq === 0) throw new RunNotFoundError(runId);
    return toRunSnapshot(state);
  }

  #fetch(params: Omit<FetchParams, "tenantId">): Promise<CanonicalEngineEvent[]> {
    return this.#operations.fetchEvents({ ...params, tenantId: this.tenantId });
  }

  /** Its failure belongs to whoever reads on, and to nobody if the reader stops first. */
  #ahead(params: Omit<FetchParams, "tenantId" | "limit">): Promise<CanonicalEngineEvent[]> {
    const page = this.#fetch({ ...params, limit: PAGE });
    page.catch(() => {});
    return page;
  }
}
