import {
  checkIdentifier,
  LogGapError,
  type AppendOptions,
  type AppendResult,
  type CanonicalEngineEvent,
  type EventLog,
  type IRunStateStore,
  type NewEvent,
  type RunHead,
  type RunSnapshot,
} from "@runledger/contracts";
import { assertNext, beforeGap } from "../fold/log-gap.js";
import { prepareCall } from "./append-call.js";
import { checkIdentifiers, checkWhole } from "./check-arguments.js";
import type { Coalescer } from "./coalescer.js";
import type { FetchParams, LogOperations } from "./log-operations.js";
import { projectLog } from "./project-log.js";

const PAGE = 1000;

/**
 * The log of a store as callers see it: arguments are checked, defaults filled in, appends coalesced, and everything
 * limited to one tenant if there is one. The backend does the rest.
 */
export class StoreLog implements IRunStateStore, EventLog {
  readonly #operations: LogOperations;
  readonly #coalescer: Coalescer;
  /** Undefined if it sees every tenant. */
  readonly tenantId: string | undefined;

  constructor(operations: LogOperations, coalescer: Coalescer, tenantId?: string) {
    if (tenantId !== undefined) checkIdentifier("tenantId", tenantId);
    this.#operations = operations;
    this.#coalescer = coalescer;
    this.tenantId = tenantId;
  }

  get conflicts(): number {
    return this.#coalescer.conflicts;
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
    const page = { runId, afterSeq, limit, toSeq: Number.MAX_SAFE_INTEGER };
    if (this.#mayHaveGaps) return (await this.#settledPage(page)).events;
    const { events, gap } = beforeGap(afterSeq, await this.#fetch(page));
    if (gap !== null && events.length === 0) throw new LogGapError(runId, gap); // the page before it was returned
    return [...events];
  }

  /** Throws LOG_GAP before a gap, or ends there if the gap may still fill (F6). */
  async *streamEvents(
    runId: string,
    options: { readonly afterSeq?: number; readonly toSeq?: number } = {},
  ): AsyncGenerator<CanonicalEngineEvent> {
    const { afterSeq = 0, toSeq = Number.MAX_SAFE_INTEGER } = options;
    this.#coalescer.assertOpen();
    checkIdentifier("runId", runId);
    checkWhole("afterSeq", afterSeq, 0);
    checkWhole("toSeq", toSeq, 0);
    if (this.#mayHaveGaps) {
      yield* this.#streamSettled({ runId, afterSeq, toSeq });
      return;
    }
    let last = afterSeq;
    for await (const event of this.#stream({ runId, afterSeq, toSeq })) {
      assertNext(runId, last, event.runSeq);
      last = event.runSeq;
      yield event;
    }
  }

  /**
   * Reads page by page and prefetches the next page while this one is read. Memory stays constant, and nothing stays
   * open between pages.
   */
  async *#stream(range: Omit<FetchParams, "tenantId" | "limit">): AsyncGenerator<CanonicalEngineEvent> {
    const { runId, afterSeq, toSeq } = range;
    if (this.#operations.streamEvents !== undefined) {
      yield* this.#operations.streamEvents({ ...range, tenantId: this.tenantId });
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

  async *#streamSettled(range: Omit<FetchParams, "tenantId" | "limit">): AsyncGenerator<CanonicalEngineEvent> {
    for (let { afterSeq } = range; ;) {
      const { events, hasMore } = await this.#settledPage({ ...range, afterSeq, limit: PAGE });
      yield* events;
      if (!hasMore) return;
      afterSeq = events.at(-1)!.runSeq;
    }
  }

  /**
   * Reads a page of a log in which numbers may be missing, up to the first gap that may still fill (F6). Settled numbers are
   * read before the events that are returned. In the other order, an event could be stored and its number settled in
   * between, and a reader would skip it (P10).
   */
  async #settledPage(
    params: Omit<FetchParams, "tenantId">,
  ): Promise<{ readonly events: CanonicalEngineEvent[]; readonly hasMore: boolean }> {
    const { runId, afterSeq, limit } = params;
    const page = await this.#fetch(params);
    if (beforeGap(afterSeq, page).gap === null) return { events: page, hasMore: page.length === limit };
    const [head] = await this.#operations.fetchHeads({ runIds: [runId], tenantId: this.tenantId });
    const later = await this.#fetch(params);
    const { events, gap } = beforeGap(afterSeq, later, head?.settledSeq);
    return { events: [...events], hasMore: gap === null && later.length === limit };
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

  /** Stops before a gap and sets `stale` (F6). Throws LOG_GAP if the first event is missing. */
  async projectSnapshot(runId: string): Promise<RunSnapshot> {
    checkIdentifier("runId", runId);
    return projectLog(this, runId);
  }

  /** Returns `null` if the run's log is damaged, so that its archive would be too. */
  async projectWhole(runId: string): Promise<RunSnapshot | null> {
    try {
      const snapshot = await this.projectSnapshot(runId);
      return snapshot.stale === true ? null : snapshot;
    } catch (error) {
      if (error instanceof LogGapError) return null;
      throw error;
    }
  }

  get #mayHaveGaps(): boolean {
    return this.#operations.contiguous === false;
  }

  #fetch(params: Omit<FetchParams, "tenantId">): Promise<CanonicalEngineEvent[]> {
    return this.#operations.fetchEvents({ ...params, tenantId: this.tenantId });
  }

  /** Prefetches a page. Its error is thrown when the reader continues, and ignored if the reader stops first. */
  #ahead(params: Omit<FetchParams, "tenantId" | "limit">): Promise<CanonicalEngineEvent[]> {
    const page = this.#fetch({ ...params, limit: PAGE });
    page.catch(() => {});
    return page;
  }
}
