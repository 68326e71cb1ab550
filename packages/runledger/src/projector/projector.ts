/**
 * Keeps projections and the run index up to the log (F7), by polling the change feed. Any number of processes do so
 * together: each has some partitions of the runs, and takes over those of one that is gone. All of it is safe to do
 * twice, so that nobody has to be sure who is alive.
 */
import { randomUUID } from "node:crypto";
import { RetryError, StopError, type FullStateStore } from "@runledger/contracts";
import { Metrics } from "../metrics/metrics.js";
import { Bell, pause, realTimers, type Timers } from "../time/timers.js";
import { printAlert, type Alert } from "./alerts.js";
import type { AtCrashPoint } from "./crash-points.js";
import { Following } from "./following.js";
import { GROUP, partitionsOf } from "./partitions.js";
import { projectorMetrics, type ProjectorMetrics } from "./projector-metrics.js";

export interface ProjectorOptions {
  /** How often the feed is read. Default 100 ms. */
  readonly pollMs?: number;
  /** How long the runs of a projector that says nothing stay its own. Default three seconds. */
  readonly memberTtlMs?: number;
  /** How old a gap must be before its numbers are given up, where the authority leaves gaps (P10). Default ten seconds. */
  readonly settleAfterMs?: number;
  readonly metrics?: Metrics;
  /** Hears of what an operator should look at. Default: prints it. */
  readonly onAlert?: (alert: Alert) => void;
  /** Hears of faults; the projector goes on. Default: prints them. */
  readonly onFault?: (fault: { readonly runId?: string; readonly error: unknown }) => void;
  readonly timers?: Timers;
  /** Called at places where a test may kill it. */
  readonly at?: AtCrashPoint;
}

/** What is read again after a crash; it costs time, nothing else. */
const SAVE_MS = 2000;
const PRUNE_MS = 10_000;

export class Projector implements AsyncDisposable {
  readonly id = `projector-${process.pid}-${randomUUID()}`;
  readonly #store: FullStateStore;
  readonly #options: Required<Pick<ProjectorOptions, "pollMs" | "memberTtlMs" | "onFault" | "timers">>;
  readonly #metrics: ProjectorMetrics;
  readonly #following: Following;
  readonly #bell: Bell;
  readonly #over = new AbortController();
  readonly #last = { good: -Infinity, attended: -Infinity, saved: -Infinity, pruned: -Infinity };
  #filling: Promise<void> = Promise.resolve();
  readonly #loop: Promise<void>;
  #stopped: Promise<void> | null = null;

  constructor(store: FullStateStore, options: ProjectorOptions = {}) {
    const { pollMs = 100, memberTtlMs = 3000, settleAfterMs = 10_000, timers = realTimers } = options;
    const { onAlert = printAlert, onFault = printFault, metrics = new Metrics(), at = () => {} } = options;
    this.#store = store;
    this.#options = { pollMs, memberTtlMs, onFault, timers };
    this.#metrics = projectorMetrics(metrics);
    const fault = (error: unknown, runId?: string) => onFault({ error, ...(runId === undefined ? {} : { runId }) });
    this.#following = new Following({
      store,
      timers,
      metrics: this.#metrics,
      alert: onAlert,
      fault,
      at,
      settleAfterMs,
    });
    this.#bell = new Bell(timers);
    this.#last.good = timers.now();
    this.#loop = this.#rounds();
  }

  /** The partitions that are its own at the moment. */
  get partitions(): readonly number[] {
    return this.#following.cursors.partitions;
  }

  /** There may be something to do: look at once. */
  nudge(): void {
    this.#bell.ring();
  }

  /** Finishes what it is at, saves where it stands, and leaves its runs to the others. */
  stop(): Promise<void> {
    this.#over.abort();
    this.#bell.ring();
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    await Promise.all([this.#loop, this.#filling]);
    await this.#unlessAway(() => this.#following.save());
    await this.#unlessAway(() => this.#store.feed.leave({ group: GROUP, member: this.id }));
  }

  async #rounds(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const more = await this.#unlessAway(() => this.#round());
      if (more !== true && !this.#over.signal.aborted) await this.#bell.rest(this.#options.pollMs);
    }
  }

  /** True = there is more to do at once. */
  async #round(): Promise<boolean> {
    const { memberTtlMs } = this.#options;
    if (this.#isDue("attended", memberTtlMs / 3)) await this.#share();
    const more = await this.#following.turn();
    if (this.#isDue("saved", SAVE_MS)) await this.#following.save();
    if (this.partitions.includes(0) && this.#isDue("pruned", PRUNE_MS)) await this.#store.feed.pruneChanges();
    this.#last.good = this.#options.timers.now();
    return more;
  }

  #isDue(what: "attended" | "saved" | "pruned", everyMs: number): boolean {
    const now = this.#options.timers.now();
    if (now < this.#last[what] + everyMs) return false;
    this.#last[what] = now;
    return true;
  }

  /** Who is there, and which partitions are therefore this one's. */
  async #share(): Promise<void> {
    const { cursors } = this.#following;
    const params = { group: GROUP, member: this.id, ttlMs: this.#options.memberTtlMs };
    const mine = partitionsOf(this.id, await this.#store.feed.attend(params));
    const lost = cursors.partitions.filter((partition) => !mine.includes(partition));
    if (lost.length > 0) await this.#following.save();
    for (const partition of lost) cursors.drop(partition);
    await this.#take(mine.filter((partition) => !cursors.partitions.includes(partition)));
    this.#metrics.partitions.set(cursors.partitions.length);
  }

  async #take(gained: readonly number[]): Promise<void> {
    if (gained.length === 0) return;
    const fresh = new Set<number>();
    for (const partition of gained) if (await this.#following.cursors.take(partition)) fresh.add(partition);
    await this.#following.takeStale(new Set(gained));
    if (fresh.size > 0) this.#filling = this.#filling.then(() => this.#fill(fresh));
  }

  async #fill(partitions: ReadonlySet<number>): Promise<void> {
    const { signal } = this.#over;
    const { timers, pollMs } = this.#options;
    const fill = async (): Promise<true> => (await this.#following.enumerate(partitions, signal), true);
    while (!signal.aborted && (await this.#unlessAway(fill)) !== true) await pause(timers, pollMs);
  }

  /** A store that is away comes back; meanwhile projections fall behind. Anything else is a fault. */
  async #unlessAway<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      const isClosed = error instanceof StopError && error.code === "STORE_CLOSED";
      if (!(error instanceof RetryError) && !isClosed) this.#options.onFault({ error });
      this.#following.lag.note(this.#options.timers.now() - this.#last.good);
      return undefined;
    }
  }
}

function printFault({ runId, error }: { readonly runId?: string; readonly error: unknown }): void {
  console.error(runId === undefined ? "The projector met a fault:" : `Projecting ${runId} failed:`, error);
}
