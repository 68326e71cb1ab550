/** Verifies and rebuilds derived data: of a ledger, or of a warehouse that has a log and snapshots only. */
import type { RebuiltRun } from "@runledger/runtime/projector/rebuild";
import type { VerifiedRun } from "@runledger/runtime/projector/verify";
import type { WalkOptions } from "@runledger/runtime/projector/walk-runs";
import { storeOptions, resolveStore, type GlobalOptions } from "../global-options.js";
import { withLedger } from "./open-backend.js";
import { isSnowflake, openStore } from "./open-store.js";

export interface DerivedDataOf {
  verify(walk: WalkOptions): AsyncIterable<VerifiedRun>;
  rebuild(walk: WalkOptions): AsyncIterable<RebuiltRun>;
  /** Number of wrong counters of the run index. 0 if the store has no run index. */
  wrongCounts(): Promise<number>;
}

type Action = (data: DerivedDataOf) => Promise<void>;

/** Opens a store that must exist. */
export async function withDerivedData(options: GlobalOptions, action: Action): Promise<void> {
  const url = await resolveStore(options);
  return isSnowflake(url) ? withLogs(url, options, action) : withAll(options, action);
}

async function withAll(options: GlobalOptions, action: Action): Promise<void> {
  const { verify } = await import("@runledger/runtime/projector/verify");
  const { rebuild } = await import("@runledger/runtime/projector/rebuild");
  await withLedger(options, ({ store }) =>
    action({
      verify: (walk) => verify(store, walk),
      rebuild: (walk) => rebuild(store, walk),
      wrongCounts: () => store.derived.wrongCounts(),
    }),
  );
}

async function withLogs(url: string, options: GlobalOptions, action: Action): Promise<void> {
  const { rebuildLogs, verifyLogs } = await import("@runledger/runtime/projector/check-logs");
  await using opened = await openStore(url, { mustExist: true, ...(await storeOptions(options)) });
  await action({
    verify: (walk) => verifyLogs(opened.store, walk),
    rebuild: (walk) => rebuildLogs(opened.store, walk),
    wrongCounts: async () => 0,
  });
}
