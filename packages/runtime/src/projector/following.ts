/** Follows the feed for this process's partitions: projects runs that changed, and retries runs that cannot be projected. */
import { LogGapError, type FullStateStore } from "@runledger/contracts";
import { FeedCursors } from "../feed/feed-cursors.js";
import type { Timers } from "../time/timers.js";
import type { Alert } from "./alerts.js";
import type { AtCrashPoint } from "./crash-points.js";
import { findLost, lostAlert } from "./lost-events.js";
import { followerOf, partitionOf } from "./partitions.js";
import { RunProjector, type Projected } from "./project-runs.js";
import type { ProjectorMetrics } from "./projector-metrics.js";
import type { KnownRun } from "./run-cache.js";
import { StaleRuns } from "./stale-runs.js";

export interface FollowingParts {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly metrics: ProjectorMetrics;
  readonly alert: (alert: Alert) => void;
  readonly fault: (error: unknown, runId?: string) => void;
  readonly at: AtCrashPoint;
  /** How often the lag has crossed the resync limit. */
  readonly resyncs: () => number;
  /** Age at which the numbers of a gap are settled, for append authorities that leave gaps (P10). */
  readonly settleAfterMs: number;
}

/** Runs projected together. */
const BATCH = 200;
/** Batches in flight: while the store saves one, the next is read and folded. */
const LANES = 2;

/** The head of each run to project. Its log has at least this many events, unless it has lost some. */
type RunHeads = ReadonlyMap<string, number>;

export class Following {
  readonly cursors: FeedCursors;
  readonly #parts: FollowingParts;
  readonly #runs: RunProjector;
  readonly #stale = new StaleRuns();
  /** Runs as they were before the store went back. They are compared with their logs once. */
  #before: readonly KnownRun[] = [];
  /** Runs that changed and are not fully projected, with their heads. No cursor is saved while there are any. */
  #open: RunHeads = new Map();
  /** The resyncs that this process has done. */
  #resyncs: number;
  /** Offset of the store's clock from this machine's, in ms. */
  #clockOffset = 0;

  constructor(parts: FollowingParts) {
    this.#parts = parts;
    this.cursors = new FeedCursors(parts.store.feed, { followerOf, partitionOf });
    this.#runs = new RunProjector(parts.store, parts.at);
    this.#resyncs = parts.resyncs();
  }

  /** Reads the feed and projects each run that changed. Returns `true` if more work is ready. */
  async turn(): Promise<boolean> {
    const resync = this.#takeResync();
    if (resync) this.#resync("lag");
    let caughtUp = true;
    for await (const feed of this.cursors.turns(resync)) {
      await this.#parts.at("feed-read");
      if (feed.isReset) await this.#reset();
      this.#clockOffset = Date.parse(feed.now) - this.#parts.timers.now();
      const changed = feed.changes.map(({ runId, headSeq }) => [runId, headSeq] as const);
      this.#open = await this.#project(new Map([...this.#open, ...changed]));
      feed.advance();
      await this.#parts.at("page-projected");
      caughtUp &&= feed.caughtUp && !feed.isReset;
    }
    await this.#retryStale();
    await this.#reportLost();
    return !caughtUp || this.#open.size > 0;
  }

  async save(): Promise<void> {
    if (this.#open.size > 0) return;
    await this.cursors.save();
    await this.#parts.at("cursors-saved");
  }

  /** Loads the stale runs of partitions that this process took over. */
  async takeStale(partitions: ReadonlySet<number>): Promise<void> {
    const { store } = this.#parts;
    for (let page = await store.snapshots.listStale(); page.length > 0;) {
      const mine = page.filter((runId) => partitions.has(partitionOf(runId)));
      for (const runId of mine) this.#stale.add(runId, null, this.#now());
      page = await store.snapshots.listStale({ afterRunId: page.at(-1)! });
    }
  }

  /** Projects the runs of fresh partitions that are behind: the feed no longer lists their older changes (F8). */
  async enumerate(partitions: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const { feed } = this.#parts.store;
    if (partitions.size === 0) return;
    for (let after: string | null = ""; after !== null;) {
      const page = await feed.listBehind(after === "" ? {} : { afterRunId: after });
      let runs = await this.#headsOf(page.runIds.filter((runId) => partitions.has(partitionOf(runId))));
      while (runs.size > 0 && !signal.aborted) runs = await this.#project(runs, false);
      if (signal.aborted) return;
      after = page.next;
    }
    for (const partition of partitions) this.cursors.filled(partition);
  }

  async #reportLost(): Promise<void> {
    if (this.#before.length === 0) return;
    for (const run of await findLost(this.#parts.store, this.#before)) this.#parts.alert(lostAlert(run));
    this.#before = [];
  }

  /** Returns the runs that are not fully projected. */
  async #project(runs: RunHeads, isChange = true): Promise<RunHeads> {
    const runIds = [...runs.keys()];
    const open = new Map<string, number>();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < runIds.length) {
        if (isChange) this.#parts.metrics.backlog.record(runIds.length - next + open.size);
        const results = await this.#runs.project(runIds.slice(next, (next += BATCH)), runs);
        for (const result of results) if (this.#note(result)) open.set(result.runId, runs.get(result.runId)!);
        if (isChange) this.#noteLag(results);
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const each of lanes) if (each.status === "rejected") throw each.reason;
    if (isChange) this.#parts.metrics.backlog.record(open.size);
    return open;
  }

  /** Records the outcome. Returns `true` if the run needs another turn now. */
  #note(result: Projected): boolean {
    const { runId, events, outcome } = result;
    const { metrics } = this.#parts;
    if (events.length > 0) metrics.saves.add(1);
    metrics.events.add(events.length);
    if (outcome === "conflict") metrics.conflicts.add(1);
    if (outcome === "gap" || outcome === "failed") this.#setAside(result);
    if (outcome === "done" || outcome === "behind") this.#stale.remove(runId);
    metrics.stale.record(this.#stale.size);
    return outcome === "behind" || outcome === "conflict";
  }

  #noteLag(results: readonly Projected[]): void {
    const ages = results.flatMap(({ events: [first] }) => {
      return first?.persistedAt === undefined ? [] : [Math.max(0, this.#now() - Date.parse(first.persistedAt))];
    });
    for (const age of ages) this.#parts.metrics.lags.record(age / 1000);
  }

  /** F6: the run halts before its gap; other runs continue. */
  #setAside({ runId, gap, outcome, error }: Projected): void {
    if (!this.#stale.add(runId, gap, this.#now())) return;
    if (outcome === "failed") return this.#reportFailed(runId, error);
    this.#parts.metrics.gaps.add(1);
    this.#resync("gap", runId);
    if (!this.#parts.store.capabilities.contiguous) return; // the gap fills, or is settled later
    const message = `${new LogGapError(runId, gap!).message} Its projection stops before the gap.`;
    this.#parts.alert({ code: "PROJECTOR_GAP_DETECTED", severity: "critical", message, runId });
  }

  #reportFailed(runId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `run ${runId} cannot be projected and stays stale: ${reason}`;
    this.#parts.alert({ code: "PROJECTOR_RUN_FAILED", severity: "critical", message, runId });
    this.#parts.fault(error, runId);
  }

  async #retryStale(): Promise<void> {
    const runIds = this.#stale.due(this.#now());
    if (runIds.length === 0) return;
    await this.#settle();
    for (const runId of runIds) this.#runs.cache.forget(runId);
    const open = await this.#project(await this.#headsOf(runIds), false);
    this.#open = new Map([...this.#open, ...open]);
  }

  async #headsOf(runIds: readonly string[]): Promise<RunHeads> {
    const heads = runIds.length === 0 ? [] : await this.#parts.store.fetchHeads(runIds);
    return new Map([
      ...runIds.map((runId) => [runId, 0] as const),
      ...heads.map(({ runId, headSeq }) => [runId, headSeq] as const),
    ]);
  }

  /** The store is in an earlier state: heads that were read before may not exist in it. */
  async #reset(): Promise<void> {
    this.#before = [...this.#before, ...this.#runs.cache.runs()];
    this.#resync("reset");
    this.#open = await this.#headsOf([...this.#open.keys()]);
  }

  async #settle(): Promise<void> {
    const { store, settleAfterMs } = this.#parts;
    if (store.settling === undefined) return;
    for (const { runId, gap } of this.#stale.olderThan(settleAfterMs, this.#now()))
      await store.settling.settleSeq({ runId, seq: gap.to });
  }

  #takeResync(): boolean {
    const resyncs = this.#parts.resyncs();
    const isNew = resyncs > this.#resyncs;
    this.#resyncs = resyncs;
    return isNew;
  }

  /** Drops cached state, of one run or of all, so that it is read again. */
  #resync(reason: "lag" | "gap" | "reset", runId?: string): void {
    this.#parts.metrics.resyncs.add(1, { reason });
    if (runId === undefined) this.#runs.cache.clear();
    else this.#runs.cache.forget(runId);
  }

  #now(): number {
    return this.#parts.timers.now() + this.#clockOffset;
  }
}
