/** Gauges of the whole system that are read when metrics are collected. They do not distinguish tenants. */
import type { FastifyInstance } from "fastify";
import type { BatchObservableResult, ObservableGauge } from "@opentelemetry/api";
import { meterOf } from "@runledger/runtime/telemetry/instruments";
import type { Api } from "../http/api.js";

export function addSystemGauges(server: FastifyInstance, { ledger, openStreams }: Api): void {
  const meter = meterOf(ledger.metrics);
  const gauge = (name: string, description: string): ObservableGauge =>
    meter.createObservableGauge(name, { description });
  const live = gauge("runledger_live_workers", "Live workers.");
  const lost = gauge("runledger_lost_workers", "Workers whose heartbeats stopped within the last 24 hours.");
  const unserved = gauge("runledger_unserved_plans", "Workflow versions that open runs need and no worker has.");
  const streams = gauge("runledger_open_streams", "Open streams of server-sent events.");
  const observe = async (result: BatchObservableResult): Promise<void> => {
    result.observe(streams, openStreams.size);
    const [{ now, workers }, plans] = await Promise.all([ledger.store.leases.listWorkers(), ledger.unserved()]);
    const alive = workers.filter(({ expiresAt }) => expiresAt > now).length;
    result.observe(live, alive);
    result.observe(lost, workers.length - alive);
    result.observe(unserved, plans.length);
  };
  const all = [live, lost, unserved, streams];
  meter.addBatchObservableCallback(observe, all);
  server.addHook("onClose", async () => meter.removeBatchObservableCallback(observe, all));
}
