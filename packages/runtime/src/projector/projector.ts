/**
 * Keeps projections and the run index up to date with the log (F7) by polling the change feed. Any number of processes
 * share the work: each owns some partitions and takes over those of a process that died. All of the work is safe to do
 * twice, so processes need not agree on who is alive.
 */
import { newId, omitUndefined, type FullStateStore } from "@runledger/contracts";
import { PollLoop } from "../time/poll-loop.js";
import { tryOnce } from "../time/retry.js";
import { pause, realTimers, type Timers } from "../time/timers.js";
import { meterOf } from "../telemetry/instruments.js";
import { logAlert, logFault } from "../telemetry/log-handlers.js";
import type { Logger } from "../telemetry/logger.js";
import type { Metrics } from "../telemetry/metrics.js";
import type { Alert } from "./alerts.js";
import type { CrashPointOptions } from "./crash-points.js";
import { Following } from "./following.js";
import { LagMonitor } from "./lag-monitor.js";
import { GROUP, partitionsOf } from "./partitions.js";
import { projectorMetrics, type ProjectorMetrics } from "./projector-metrics.js";

export interface ProjectorOptions {
  /** How often to poll the feed. Default 100 ms. */
  readonly pollMs?: number;
  /** How long a silent projector keeps its partitions. Default three seconds. */
  readonly memberTtlMs?: number;
  /** Age at which the numbers of a gap are settled, for append authorities that leave gaps (P10). Default ten seconds. */
  readonly settleAfterMs?: number;
  /** Default: the metrics of the SDK that the process has registered, if any. */
  readonly metrics?: Metrics | undefined;
  /** Receives alerts for operators. Logs them by default. */
  readonly onAlert?: (alert: Alert) => void;
  /** Receives faults; the projector continues. Logs them by default. */
  readonly onFault?: (fault: { readonly runId?: string; readonly error: unknown }) => void;
  readonly timers?: Timers;
}

/** Interval between cursor saves. After a crash, changes since the last save are read again. */
const SAVE_MS = 2000;
const PRUNE_MS = 10_000;

export class Projector implements AsyncDisposable {
  readonly id = newId(`projector-${process.pid}`);
  readonly #store: FullStateStore;
  readonly #options: Required<Pick<ProjectorOptions, "pollMs" | "memberTtlMs" | "onFault" | "timers">>;
  readonly #metrics: ProjectorMetrics;
  readonly #following: Following;
  readonly #over = new AbortController();
  /** `null` if another object stops it. */
  readonly #ownLag: LagMonitor | null;
  readonly #last = { attended: -Infinity, saved: -Infinity, pruned: -Infinity };
  #filling: Promise<void> = Promise.resolve();
  readonly #loop: PollLoop;
  #stopped: Promise<void> | null = null;

  /** @param sharedLag Measures the lag for several projectors. If absent, this projector measures it. */
  constructor(store: FullStateStore, options: ProjectorOptions & CrashPointOptions = {}, sharedLag?: LagMonitor) {
    const { pollMs = 100, memberTtlMs = 3000, settleAfterMs = 10_000, timers = realTimers } = options;
    const { onAlert = logAlert(), onFault = logProjectorFault(), metrics, at = () => {} } = options;
    this.#store = store;
    this.#options = { pollMs, memberTtlMs, onFault, timers };
    this.#metrics = projectorMetrics(meterOf(metrics));
    const fault = (error: unknown, runId?: string) => onFault({ error, ...omitUndefined({ runId }) });
    const lag = sharedLag ?? new LagMonitor({ store, timers, metrics, alert: onAlert, fault });
    this.#ownLag = sharedLag === undefined ? lag : null;
    this.#following = new Following({
      store,
      timers,
      metrics: this.#metrics,
      alert: onAlert,
      fault,
      at,
      settleAfterMs,
      resyncs: () => lag.resyncs,
    });
    this.#loop = new PollLoop({
      timers,
      everyMs: pollMs,
      round: () => this.#round(),
      isDone: () => this.#over.signal.aborted,
      onFault: (error) => onFault({ error }),
    }).start();
  }

  /** The partitions that this process owns now. */
  get partitions(): readonly number[] {
    return this.#following.cursors.partitions;
  }

  get isStopped(): boolean {
    return this.#over.signal.aborted;
  }

  /** Finishes the current round, saves the cursors and releases the partitions to other processes. */
  stop(): Promise<void> {
    this.#over.abort();
    this.#loop.notify();
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    await Promise.all([this.#loop.finished(), this.#filling]);
    await this.#tryOnce(() => this.#following.save());
    await this.#tryOnce(() => this.#store.feed.leave({ group: GROUP, member: this.id }));
    await this.#ownLag?.stop();
  }

  /** Returns `again` if more work is ready. */
  async #round(): Promise<"again" | void> {
    const { memberTtlMs } = this.#options;
    if (this.#isDue("attended", memberTtlMs / 3)) await this.#share();
    const more = await this.#following.turn();
    if (this.#isDue("saved", SAVE_MS)) await this.#following.save();
    this.#fillFresh();
    if (this.partitions.includes(0) && this.#isDue("pruned", PRUNE_MS)) await this.#store.feed.pruneChanges();
    if (more) return "again";
  }

  #isDue(what: "attended" | "saved" | "pruned", everyMs: number): boolean {
    const now = this.#options.timers.now();
    if (now < this.#last[what] + everyMs) return false;
    this.#last[what] = now;
    return true;
  }

  /** Renews membership and computes which partitions this process owns. */
  async #share(): Promise<void> {
    const { cursors } = this.#following;
    const params = { group: GROUP, member: this.id, ttlMs: this.#options.memberTtlMs };
    const mine = partitionsOf(this.id, await this.#store.feed.attend(params));
    const lost = cursors.partitions.filter((partition) => !mine.includes(partition));
    if (lost.length > 0) await this.#following.save();
    for (const partition of lost) cursors.drop(partition);
    await this.#take(mine.filter((partition) => !cursors.partitions.includes(partition)));
    this.#metrics.partitions.record(cursors.partitions.length);
  }

  async #take(gained: readonly number[]): Promise<void> {
    if (gained.length === 0) return;
    for (const partition of gained) await this.#following.cursors.take(partition);
    await this.#following.takeStale(new Set(gained));
  }

  #fillFresh(): void {
    const fresh = this.#following.cursors.takeFresh();
    if (fresh.size > 0) this.#filling = this.#filling.then(() => this.#fill(fresh));
  }

  async #fill(partitions: ReadonlySet<number>): Promise<void> {
    const { signal } = this.#over;
    const { timers, pollMs } = this.#options;
    const fill = async (): Promise<true> => (await this.#following.enumerate(partitions, signal), true);
    while (!signal.aborted && (await this.#tryOnce(fill)) !== true) await pause(timers, pollMs);
  }

  /** Ignores an unavailable store, which only makes projections fall behind. Reports any other error as a fault. */
  #tryOnce<T>(action: () => Promise<T>): Promise<T | undefined> {
    return tryOnce(action, (error) => this.#options.onFault({ error }));
  }
}

export function logProjectorFault(logger?: Logger): Required<ProjectorOptions>["onFault"] {
  const log = logFault("projector", logger);
  return ({ error, ...ids }) => log(error, ids);
}
