/** Finds parts that keep the server from working. */
import { internalsOf } from "@runledger/runtime/ledger/internals";
import type { Ledger } from "@runledger/runtime/ledger/ledger";

export interface UnreadyPart {
  readonly part: "store" | "projector";
  readonly reason: string;
}

/** With a larger lag, the data that readers see is useless. */
const MAX_LAG_SECONDS = 60;
const STORE_TIMEOUT_MS = 5000;

export async function unreadyParts(ledger: Ledger): Promise<UnreadyPart[]> {
  return [...(await checkStore(ledger)), ...checkProjector(ledger)];
}

/** A store that responds after the timeout counts as unavailable. */
async function checkStore({ store }: Ledger): Promise<UnreadyPart[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), STORE_TIMEOUT_MS);
  });
  try {
    await Promise.race([Promise.all([store.listHeads({ limit: 1 }), store.leases.listWorkers()]), timeout]);
    return [];
  } catch {
    return [{ part: "store", reason: "the store does not respond" }];
  } finally {
    clearTimeout(timer);
  }
}

function checkProjector(ledger: Ledger): UnreadyPart[] {
  const lag = internalsOf(ledger).lagSeconds() ?? 0;
  if (lag <= MAX_LAG_SECONDS) return [];
  return [{ part: "projector", reason: `projections are ${Math.round(lag)} s behind the log` }];
}
