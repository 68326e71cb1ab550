/**
 * Measures once a second how far projections are behind the log. It compares the heads of both in the store, so it works while
 * a projector is stalled, and in processes that run none.
 */
import type { FullStateStore } from "@runledger/contracts";
import { PollLoop } from "../time/poll-loop.js";
import type { Timers } from "../time/timers.js";
import { meterOf } from "../telemetry/instruments.js";
import type { Metrics } from "../telemetry/metrics.js";
import type { Alert } from "./alerts.js";
import { LagWatch } from "./lag-watch.js";
import { GROUP } from "./partitions.js";
import { lagGauge } from "./projector-metrics.js";

export interface LagMonitorParams {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly metrics?: Metrics | undefined;
  readonly alert: (alert: Alert) => void;
  readonly fault: (error: unknown) => void;
}

const MEASURE_MS = 1000;
/**
 * Projectors save their cursors every two seconds, so changes above the cursors are usually projected. The store need not
 * compare the runs of a busy ledger while the oldest such change is younger than this.
 */
const IGNORE_MS = 3000;

export class LagMonitor {
  readonly #params: LagMonitorParams;
  readonly #watch: LagWatch;
  readonly #loop: PollLoop;
  #last: { readonly at: number; readonly lagMs: number };
  #isStopped = false;

  constructor(params: LagMonitorParams) {
    const { timers, metrics, alert, fault } = params;
    this.#params = params;
    this.#watch = new LagWatch(lagGauge(meterOf(metrics)), alert);
    this.#last = { at: timers.now(), lagMs: 0 };
    this.#loop = new PollLoop({
      timers,
      everyMs: MEASURE_MS,
      round: () => this.#measure(),
      isDone: () => this.#isStopped,
      onFault: fault,
    }).start();
  }

  /** `null` before the first measurement. */
  get lagSeconds(): number | null {
    return this.#watch.lagMs === null ? null : this.#watch.lagMs / 1000;
  }

  /** How often the lag has crossed the resync limit. */
  get resyncs(): number {
    return this.#watch.resyncs;
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#loop.notify();
    return this.#loop.finished();
  }

  /** If the store does not answer, the lag has grown at worst by the time since the last answer. */
  async #measure(): Promise<void> {
    const { store, timers } = this.#params;
    try {
      const { now, oldestAt } = await store.feed.measureLag({ group: GROUP, ignoreMs: IGNORE_MS });
      const lagMs = oldestAt === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(oldestAt));
      this.#last = { at: timers.now(), lagMs };
      this.#watch.note(lagMs);
    } catch (error) {
      this.#watch.note(this.#last.lagMs + timers.now() - this.#last.at);
      throw error;
    }
  }
}
