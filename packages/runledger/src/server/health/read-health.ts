/** How the whole stands, as this process knows it. What tells how busy others are is for those who see all tenants. */
import type { Ledger } from "../../ledger/ledger.js";
import { packageVersion } from "../../config/package-version.js";
import type { TenantStore } from "@runledger/contracts";
import type { Caller } from "../access/caller.js";
import type { Api } from "../http/api.js";
import { gaugeOf, quantileOf, totalOf } from "./metric-values.js";
import { notReady } from "./not-ready.js";
import { remedyOf } from "./remedies.js";

export async function readHealth({ ledger, readers }: Api, tenant: TenantStore, { allTenants }: Caller) {
  const began = performance.now();
  const missing = await notReady(ledger);
  const roundTripMs = missing.some(({ part }) => part === "store") ? null : performance.now() - began;
  const known = roundTripMs === null ? null : await ledger.store.leases.listWorkers();
  const alive = known?.workers.filter(({ expiresAt }) => expiresAt > known.now).length ?? 0;
  return {
    at: new Date().toISOString(),
    version: packageVersion(),
    upSeconds: performance.now() / 1000,
    ready: missing.length === 0,
    notReady: missing,
    store: { roundTripMs },
    appends: allTenants ? appendsOf(ledger) : null,
    projector: projectorOf(ledger, allTenants),
    workers: { alive, lost: (known?.workers.length ?? 0) - alive },
    openStreams: allTenants ? readers.size : null,
    alerts: await ownAlerts(ledger, tenant, allTenants),
  };
}

function appendsOf({ metrics }: Ledger) {
  const total = totalOf(metrics, "runledger_appended_events_total");
  if (total === null) return null;
  const within = (share: number): number | null => inMs(quantileOf(metrics, "runledger_append_seconds", share));
  return { total, p50Ms: within(0.5), p99Ms: within(0.99) };
}

function projectorOf({ metrics }: Ledger, allTenants: boolean) {
  const lagSeconds = gaugeOf(metrics, "runledger_projector_lag_seconds");
  if (lagSeconds === null) return null;
  return {
    lagSeconds,
    backlogRuns: allTenants ? (gaugeOf(metrics, "runledger_projector_backlog_runs") ?? 0) : 0,
    staleRuns: allTenants ? (gaugeOf(metrics, "runledger_projector_stale_runs") ?? 0) : 0,
    eventsTotal: allTenants ? (totalOf(metrics, "runledger_projector_events_total") ?? 0) : null,
    p99LagMs: inMs(quantileOf(metrics, "runledger_projector_event_lag_seconds", 0.99)),
  };
}

/** Of a run: whose it is. Of none: everybody's. */
async function ownAlerts({ alerts }: Ledger, tenant: TenantStore, allTenants: boolean) {
  const runIds = [...new Set(alerts.flatMap(({ runId }) => runId ?? []))];
  const seen = allTenants ? runIds : (await tenant.fetchHeads(runIds)).map(({ runId }) => runId);
  return alerts
    .filter(({ runId }) => runId === undefined || seen.includes(runId))
    .map((alert) => ({ ...alert, remedy: remedyOf(alert.code) }))
    .toReversed();
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
