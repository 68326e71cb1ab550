import type { FullStateStore } from "@runledger/contracts";
import { Metrics } from "../metrics/metrics.js";
import { realTimers } from "../time/timers.js";
import { printAlert } from "./alerts.js";
import { Following } from "./following.js";
import { PARTITIONS } from "./partitions.js";
import { projectorMetrics } from "./projector-metrics.js";

/**
 * Brings projections and the run index up to the log as it stands now, once. Who reads them where no projector runs does
 * this first; where one runs there is little to do, and it is no harm to do it twice.
 */
export async function catchUp(store: FullStateStore): Promise<void> {
  const following = new Following({
    store,
    timers: realTimers,
    metrics: projectorMetrics(new Metrics()),
    alert: (alert) => (alert.code === "PROJECTOR_LAG_HIGH" ? undefined : printAlert(alert)), // nobody promised less
    fault: (error) => {
      throw error;
    },
    at: () => {},
    settleAfterMs: Infinity,
  });
  const fresh = new Set<number>();
  for (let partition = 0; partition < PARTITIONS; partition++)
    if (await following.cursors.take(partition)) fresh.add(partition);
  if (fresh.size > 0) await following.enumerate(fresh, new AbortController().signal);
  while (await following.turn());
  await following.save();
}
