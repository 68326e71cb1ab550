/**
 * Projects the runs of a store without a change feed, such as a warehouse to which another engine writes. Each round
 * compares the heads with the snapshots and folds the missing events (F4, F6, F7).
 */
import { LogGapError, type LogGap, type Projection, type RunHead, type StateStore } from "@runledger/contracts";
import { toRunHeader } from "@runledger/core";
import { logAlert, logFault } from "../telemetry/log-handlers.js";
import { PollLoop } from "../time/poll-loop.js";
import { realTimers, type Timers } from "../time/timers.js";
import type { Alert } from "./alerts.js";
import { foldTail, tailOf, withLostEnd } from "./fold-tail.js";
import { storedRun, unknownRun, type KnownRun } from "./run-cache.js";

const PAGE = 500;
/** Events of one run that are folded and saved together. */
const TURN = 5000;

export interface LogProjectorOptions {
  /** Delay between two rounds. Default: what the store can bear. */
  readonly pollMs?: number;
  readonly onAlert?: (alert: Alert) => void;
  readonly onFault?: (error: unknown) => void;
  readonly timers?: Timers;
}

export class LogProjector implements AsyncDisposable {
  readonly #loop: PollLoop;
  readonly #stop = new AbortController();

  constructor(store: StateStore, options: LogProjectorOptions = {}) {
    const { pollMs = Math.max(1000, store.capabilities.lagMs), timers = realTimers } = options;
    const { onFault = logFault("projector"), onAlert = logAlert() } = options;
    const known = new Set<string>();
    const alert = (found: Alert): void => {
      if (!known.has(found.message)) onAlert(found);
      known.add(found.message);
    };
    const round = async (): Promise<void> => void (await projectLogs(store, { signal: this.#stop.signal, alert }));
    const isDone = (): boolean => this.#stop.signal.aborted;
    this.#loop = new PollLoop({ timers, everyMs: pollMs, round, isDone, onFault }).start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#loop.notify();
    await this.#loop.finished();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

export interface ProjectLogsOptions {
  readonly signal?: AbortSignal;
  readonly alert?: (alert: Alert) => void;
}

/** Brings all snapshots up to their logs. Returns the number of runs that were behind. */
export async function projectLogs(store: StateStore, { signal, alert }: ProjectLogsOptions = {}): Promise<number> {
  let behind = 0;
  for (let afterRunId: string | undefined; ;) {
    const from = afterRunId === undefined ? {} : { afterRunId };
    const heads = await store.listHeads({ archived: true, limit: PAGE, ...from });
    const stored = await store.snapshots.readProjections(heads.map(({ runId }) => ({ runId, stepIds: [] })));
    for (const [index, head] of heads.entries()) {
      if (signal?.aborted === true) return behind;
      if (isCurrent(head, stored[index] ?? null)) continue;
      behind++;
      const gap = await projectLog(store, head);
      if (gap !== null) alert?.(gapAlert(head.runId, gap));
    }
    afterRunId = heads.at(-1)?.runId;
    if (afterRunId === undefined) return behind;
  }
}

const isCurrent = ({ headSeq }: RunHead, stored: Projection | null): boolean =>
  (stored?.header.lastEventSeq ?? 0) >= headSeq;

function gapAlert(runId: string, gap: LogGap): Alert {
  const message = `${new LogGapError(runId, gap).message} Its projection stops before the gap.`;
  return { code: "PROJECTOR_GAP_DETECTED", severity: "critical", message, runId };
}

/** Returns the gap before which the projection stopped, or `null`. Another projector may do the same work: one of them saves. */
async function projectLog(store: StateStore, head: RunHead) {
  for (;;) {
    const run = await readRun(store, head.runId, []);
    const { lastEventSeq: afterSeq } = run.state;
    if (afterSeq >= head.headSeq) return null;
    const events = await store.fetchEvents(head.runId, { afterSeq, limit: TURN });
    const found = tailOf(afterSeq, events, 0);
    const isWhole = events.length < TURN && !found.isCut;
    const tail = isWhole ? withLostEnd(afterSeq, found, head.headSeq) : found;
    if (tail.events.length > 0 || run.isMarked !== (tail.gap !== null)) await save(store, run, tail);
    if (tail.gap !== null) return tail.gap;
  }
}

async function save(store: StateStore, run: KnownRun, tail: ReturnType<typeof tailOf>): Promise<void> {
  const { runId, lastEventSeq: readSeq } = run.state;
  const { state: before, generation } = await readRun(store, runId, tail.stepIds);
  if (before.lastEventSeq !== readSeq) return; // another projector saved: read again
  const { state, changed } = foldTail(before, tail);
  if (state.lastEventSeq === 0) return; // the first event is missing: nothing to show yet
  const header = tail.gap === null ? toRunHeader(state) : { ...toRunHeader(state), stale: true };
  await store.snapshots.saveProjection({ readSeq, generation, header, steps: changed });
}

async function readRun(store: StateStore, runId: string, stepIds: readonly string[]): Promise<KnownRun> {
  const stored = await store.snapshots.readProjection({ runId, stepIds });
  return stored === null ? unknownRun(runId) : storedRun(stored);
}
