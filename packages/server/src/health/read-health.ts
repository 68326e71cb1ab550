/** Health of the system as this process sees it. Numbers that reveal the load of other tenants need `allTenants`. */
import type { TenantStore } from "@runledger/contracts";
import { packageVersion } from "@runledger/runtime/config/package-version";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import { isVisibleWorker } from "@runledger/runtime/runs/reader";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { MetricFamily } from "@runledger/runtime/telemetry/metric-family";
import type { Caller } from "../auth/caller.js";
import type { Api } from "../http/api.js";
import { gaugeOf, quantileOf, totalOf } from "./metric-values.js";
import { unreadyParts } from "./readiness.js";
import { recentAlerts } from "./recent-alerts.js";

export async function readHealth({ ledger, openStreams }: Api, tenant: TenantStore, caller: Caller) {
  const { allTenants } = caller;
  const startedAt = performance.now();
  const notReady = await unreadyParts(ledger);
  const roundTripMs = notReady.some(({ part }) => part === "store") ? null : performance.now() - startedAt;
  const known = roundTripMs === null ? null : await ledger.store.leases.listWorkers();
  const workers = known?.workers.filter((worker) => isVisibleWorker(worker, caller)) ?? [];
  const families = (await ledger.metrics?.read()) ?? [];
  const alive = workers.filter(({ expiresAt }) => known !== null && expiresAt > known.now).length;
  return {
    at: new Date().toISOString(),
    version: packageVersion(),
    upSeconds: performance.now() / 1000,
    ready: notReady.length === 0,
    notReady,
    store: { roundTripMs },
    appends: allTenants ? appendsOf(families) : null,
    projector: projectorOf(ledger, families, allTenants),
    workers: { alive, lost: workers.length - alive },
    openStreams: allTenants ? openStreams.size : null,
    alerts: await recentAlerts(ledger, { tenant, allTenants, isStoreReachable: roundTripMs !== null }),
  };
}

function appendsOf(families: readonly MetricFamily[]) {
  const total = totalOf(families, "runledger_appended_events_total");
  if (total === null) return null;
  const quantileMs = (share: number): number | null => toMs(quantileOf(families, "runledger_append_seconds", share));
  return { total, p50Ms: quantileMs(0.5), p99Ms: quantileMs(0.99) };
}

function projectorOf(ledger: Ledger, families: readonly MetricFamily[], allTenants: boolean) {
  const lagSeconds = internalsOf(ledger).lagSeconds();
  if (lagSeconds === null) return null;
  return {
    lagSeconds,
    backlogRuns: allTenants ? (gaugeOf(families, "runledger_projector_backlog_runs") ?? 0) : 0,
    staleRuns: allTenants ? (gaugeOf(families, "runledger_projector_stale_runs") ?? 0) : 0,
    eventsTotal: allTenants ? (totalOf(families, "runledger_projector_events_total") ?? 0) : null,
    p99LagMs: toMs(quantileOf(families, "runledger_projector_event_lag_seconds", 0.99)),
  };
}

function toMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
