/** A ledger in memory whose clock a test can set forward. Waits and steps take real time otherwise. */
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { realTimers } from "@runledger/runtime/time/timers";
import { MemoryStore } from "@runledger/store-memory";

export interface SkippedLedger {
  readonly ledger: Ledger;
  /** Sets the clock of the store forward. Everything that became due happens now. */
  readonly skip: (ms: number) => void;
}

export function skippedLedger(): SkippedLedger {
  let skipped = 0;
  const now = (): number => realTimers.now() + skipped;
  const store = new MemoryStore({ now });
  const ledger = new Ledger(store, () => store.close(), { timers: { ...realTimers, now } });
  return { ledger, skip: (ms) => void (skipped += ms) };
}
