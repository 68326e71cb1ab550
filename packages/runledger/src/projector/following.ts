/** Following the feed with the partitions that one has: what changed is projected, what cannot be is come back to. */
import type { FullStateStore } from "@runledger/contracts";
import type { Timers } from "../time/timers.js";
import type { Alert } from "./alerts.js";
import type { AtCrashPoint } from "./crash-points.js";
import { FeedCursors } from "./feed-cursors.js";
import { LagWatch } from "./lag-watch.js";
import { partitionOf } from "./partitions.js";
import { RunProjector, type Projected } from "./project-runs.js";
import type { ProjectorMetrics } from "./projector-metrics.js";
import { StaleRuns } from "./stale-runs.js";

export interface FollowingParts {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly metrics: ProjectorMetrics;
  readonly alert: (alert: Alert) => void;
  readonly fault: (error: unknown, runId?: string) => void;
  readonly at: AtCrashPoint;
  /** How old a gap must be before its numbers are given up, where the authority leaves gaps (P10). */
  readonly settleAfterMs: number;
}

/** Runs that are projected in one go. */
const BATCH = 200;
/** How many go at the same time: while the store saves one, the next is read and folded. */
const LANES = 2;

export class Following {
  readonly cursors: FeedCursors;
  readonly lag: LagWatch;
  readonly #parts: FollowingParts;
  readonly #runs: RunProjector;
  readonly #stale = new StaleRuns();
  /** Runs that were told of and are not done: until they are, no cursor is saved. */
  #open: readonly string[] = [];
  /** What to add to this machine's clock to have the store's. */
  #ahead = 0;

  constructor(parts: FollowingParts) {
    this.#parts = parts;
    this.cursors = new FeedCursors(parts.store.feed);
    this.lag = new LagWatch(parts.metrics, (alert) => this.#alert(alert));
    this.#runs = new RunProjector(parts.store, parts.at);
  }

  /** Reads the feed on and gives each run that changed a turn. True = there is more to do at once. */
  async turn(): Promise<boolean> {
    const resync = this.lag.takeResync();
    if (resync) this.#resync("lag");
    let caughtUp = true;
    let worked = false;
    for await (const feed of this.cursors.turns(resync)) {
      await this.#parts.at("feed-read");
      this.#ahead = Date.parse(feed.now) - this.#parts.timers.now();
      const runIds = new Set([...this.#open, ...feed.changes.map(({ runId }) => runId)]);
      this.#open = await this.#project([...runIds]);
      feed.passed();
      await this.#parts.at("page-projected");
      caughtUp &&= feed.caughtUp;
      worked ||= runIds.size > 0;
    }
    await this.#lookAgain();
    if (!worked) this.lag.note(0);
    return !caughtUp || this.#open.length > 0;
  }

  async save(): Promise<void> {
    if (this.#open.length > 0) return;
    await this.cursors.save();
    await this.#parts.at("cursors-saved");
  }

  /** Of partitions that were taken over: what somebody stopped in front of. */
  async takeStale(partitions: ReadonlySet<number>): Promise<void> {
    const { store } = this.#parts;
    for (let page = await store.snapshots.listStale(); page.length > 0;) {
      const mine = page.filter((runId) => partitions.has(partitionOf(runId)));
      for (const runId of mine) this.#stale.add(runId, null, this.#now());
      page = await store.snapshots.listStale({ afterRunId: page.at(-1)! });
    }
  }

  /** Partitions that nobody has followed yet: the heads tell what the feed no longer does (F8). */
  async enumerate(partitions: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    let page = await store.listHeads({ archived: true });
    while (page.length > 0) {
      let runIds: readonly string[] = page.map(({ runId }) => runId).filter((id) => partitions.has(partitionOf(id)));
      while (runIds.length > 0 && !signal.aborted) runIds = await this.#project(runIds, false);
      if (signal.aborted) return;
      page = await store.listHeads({ archived: true, afterRunId: page.at(-1)!.runId });
    }
    for (const partition of partitions) this.cursors.filled(partition);
  }

  /** Gives those that are not done. */
  async #project(runIds: readonly string[], isNews = true): Promise<readonly string[]> {
    const open: string[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < runIds.length) {
        if (isNews) this.#parts.metrics.backlog.set(runIds.length - next + open.length);
        const results = await this.#runs.project(runIds.slice(next, (next += BATCH)));
        for (const result of results) if (this.#note(result)) open.push(result.runId);
        if (isNews) this.#noteLag(results);
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const each of lanes) if (each.status === "rejected") throw each.reason;
    if (isNews) this.#parts.metrics.backlog.set(open.length);
    return open;
  }

  /** True = it needs another turn at once. */
  #note(result: Projected): boolean {
    const { runId, events, outcome } = result;
    const { metrics } = this.#parts;
    if (events.length > 0) metrics.saves.add();
    metrics.events.add(events.length);
    if (outcome === "conflict") metrics.conflicts.add();
    if (outcome === "gap" || outcome === "failed") this.#setAside(result);
    if (outcome === "done" || outcome === "behind") this.#stale.remove(runId);
    metrics.stale.set(this.#stale.size);
    return outcome === "behind" || outcome === "conflict";
  }

  #noteLag(results: readonly Projected[]): void {
    const ages = results.flatMap(({ events: [first] }) => {
      return first?.persistedAt === undefined ? [] : [Math.max(0, this.#now() - Date.parse(first.persistedAt))];
    });
    for (const age of ages) this.#parts.metrics.lags.observe(age / 1000);
    if (ages.length > 0) this.lag.note(Math.max(...ages));
  }

  /** F6: the run halts in front of its gap, and the others go on. */
  #setAside({ runId, gap, outcome, error }: Projected): void {
    if (!this.#stale.add(runId, gap, this.#now())) return;
    if (outcome === "failed") return this.#parts.fault(error, runId);
    this.#parts.metrics.gaps.add();
    this.#resync("gap", runId);
    if (!this.#parts.store.capabilities.contiguous) return; // it fills by itself, or is settled
    const message = `events ${gap!.from} to ${gap!.to} are missing from the log of run ${runId}: its projection halts there`;
    this.#alert({ code: "PROJECTOR_GAP_DETECTED", severity: "P1", message, runId });
  }

  async #lookAgain(): Promise<void> {
    const runIds = this.#stale.due(this.#now());
    if (runIds.length === 0) return;
    await this.#settle();
    for (const runId of runIds) this.#runs.cache.forget(runId);
    const open = await this.#project(runIds, false);
    this.#open = [...new Set([...this.#open, ...open])];
  }

  async #settle(): Promise<void> {
    const { store, settleAfterMs } = this.#parts;
    if (store.settling === undefined) return;
    for (const { runId, gap } of this.#stale.olderThan(settleAfterMs, this.#now()))
      await store.settling.settleSeq({ runId, seq: gap.to });
  }

  /** What was remembered is read again: of one run, or of all. */
  #resync(reason: "lag" | "gap", runId?: string): void {
    this.#parts.metrics.resyncs.add(1, { reason });
    if (runId === undefined) this.#runs.cache.clear();
    else this.#runs.cache.forget(runId);
  }

  #alert(alert: Alert): void {
    this.#parts.metrics.alerts.add(1, { code: alert.code });
    this.#parts.alert(alert);
  }

  #now(): number {
    return this.#parts.timers.now() + this.#ahead;
  }
}
