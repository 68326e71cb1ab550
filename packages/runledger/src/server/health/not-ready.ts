/** What keeps a server from doing its work. */
import type { Ledger } from "../../ledger/ledger.js";
import { gaugeOf } from "./metric-values.js";

export interface NotReady {
  readonly part: "store" | "projector";
  readonly reason: string;
}

/** Further behind than this, what readers see is of no use to anybody. */
const MOST_LAG_SECONDS = 60;
const PATIENCE_MS = 5000;

export async function notReady(ledger: Ledger): Promise<NotReady[]> {
  return [...(await storeTrouble(ledger)), ...projectorTrouble(ledger)];
}

/** A store that does not answer soon does not answer whoever waits for this. */
async function storeTrouble({ store }: Ledger): Promise<NotReady[]> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it takes too long")), PATIENCE_MS);
  });
  try {
    await Promise.race([Promise.all([store.listHeads({ limit: 1 }), store.leases.listWorkers()]), patience]);
    return [];
  } catch {
    return [{ part: "store", reason: "the store does not answer" }];
  } finally {
    clearTimeout(timer);
  }
}

function projectorTrouble({ metrics }: Ledger): NotReady[] {
  const lag = gaugeOf(metrics, "runledger_projector_lag_seconds") ?? 0;
  if (lag <= MOST_LAG_SECONDS) return [];
  return [{ part: "projector", reason: `projections are ${Math.round(lag)} s behind the log` }];
}
