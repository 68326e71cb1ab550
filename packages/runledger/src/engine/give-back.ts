import { SeqMismatchError, StaleLeaseError, type FullStateStore, type HeldRun } from "@runledger/contracts";
import { insist } from "./patience.js";
import type { Timers } from "../time/timers.js";

export interface GiveBackParams {
  readonly store: FullStateStore;
  readonly timers: Timers;
  readonly workerId: string;
  readonly held: HeldRun;
  readonly wakeAt: string;
  /** Aborted = the worker has no more time for this; the run is free when its lease ends. */
  readonly signal: AbortSignal;
}

/** Gives back a run that this worker cannot drive, whatever its head is: somebody tries again at `wakeAt`. */
export async function giveBack({ store, timers, workerId, held, wakeAt, signal }: GiveBackParams): Promise<void> {
  const { runId, epoch, wakes } = held;
  for (;;) {
    try {
      const [head] = await insist(timers, signal, () => store.fetchHeads([runId]));
      const expectedSeq = head?.headSeq ?? held.headSeq;
      const parking = { workerId, runId, epoch, expectedSeq, wakes, wakeAt, checkpoint: null, unanswered: true };
      return await insist(timers, signal, () => store.queue.parkRun(parking));
    } catch (error) {
      if (error instanceof StaleLeaseError) return;
      if (!(error instanceof SeqMismatchError)) throw error;
    }
  }
}
