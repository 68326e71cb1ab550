import { SeqMismatchError, StaleLeaseError, type FullStateStore, type HeldRun } from "@runledger/contracts";
import { retryUntilAborted } from "../time/retry.js";
import type { Timers } from "../time/timers.js";

export interface ReleaseParams {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly workerId: string;
  readonly held: HeldRun;
  readonly wakeAt: string;
  /** Aborted if the worker has no more time. The run is then free when its lease expires. */
  readonly signal: AbortSignal;
}

/** Thrown by a driver that must not drive its run now. The worker releases the run for other workers. */
export class HandOver extends Error {}

/** Releases a run that this worker cannot drive, at any head. It is due again at `wakeAt`. */
export async function releaseRun({ store, timers, workerId, held, wakeAt, signal }: ReleaseParams): Promise<void> {
  const { runId, epoch, wakes } = held;
  for (;;) {
    try {
      const [head] = await retryUntilAborted(timers, signal, () => store.fetchHeads([runId]));
      const expectedSeq = head?.headSeq ?? held.headSeq;
      const parking = { workerId, runId, epoch, expectedSeq, wakes, wakeAt, checkpoint: null, unanswered: true };
      return await retryUntilAborted(timers, signal, () => store.queue.parkRun(parking));
    } catch (error) {
      if (error instanceof StaleLeaseError) return;
      if (!(error instanceof SeqMismatchError)) throw error;
    }
  }
}
