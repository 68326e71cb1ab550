/** Everything that is counted in this process, and what the store knows of the whole. */
import { Metrics } from "../../metrics/metrics.js";
import type { Api } from "../http/api.js";
import { renderMetrics } from "./render.js";

export async function readMetrics(api: Api): Promise<string> {
  return renderMetrics([...api.ledger.metrics.snapshot(), ...(await momentary(api)).snapshot()]);
}

/** What is asked for, not counted. Nothing in it tells one tenant from another. */
async function momentary({ ledger, readers }: Api): Promise<Metrics> {
  const metrics = new Metrics();
  const [{ now, workers }, unserved] = await Promise.all([ledger.store.leases.listWorkers(), ledger.unserved()]);
  const alive = workers.filter(({ expiresAt }) => expiresAt > now).length;
  const gauge = (name: string, help: string, value: number): void => metrics.gauge(name, help).set(value);
  gauge("runledger_live_workers", "Workers that say that they live.", alive);
  gauge("runledger_lost_workers", "Workers that stopped saying so within the last day.", workers.length - alive);
  gauge("runledger_unserved_plans", "Versions of workflows that open runs need and no worker has.", unserved.length);
  gauge("runledger_open_streams", "Streams of server-sent events that are open.", readers.size);
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.memoryUsage.rss());
  gauge("process_start_time_seconds", "Start time of the process since 1970.", performance.timeOrigin / 1000);
  return metrics;
}
