/** The health of the server, the store, the projector and the workers, with alerts and remedies. */
import type { Health } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { count, counted, duration } from "../ui/format.js";
import { useTitle } from "../ui/title.js";
import { Failure, Loading, StaleNotice } from "../ui/states.js";
import { AlertList } from "./alert-list.js";
import { OutboxTile } from "./outbox-tile.js";
import { Tile } from "./tile.js";
import { ratesOf, useSamples, valuesOf } from "./samples.js";
import { HealthSummary } from "./health-summary.js";

const POLL_MS = 2_000;

export function HealthPage() {
  useTitle("Health");
  const query = useQuery({ queryKey: ["health"], queryFn: () => client.getHealth(), refetchInterval: POLL_MS });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  const samples = useSamples(data);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading health" lines={8} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="columns health">
      <StaleNotice error={error} />
      <HealthSummary health={data} isReachable={error === null} />
      {data.alerts.length > 0 && <AlertList alerts={data.alerts} />}
      <div className="tiles">
        <Store health={data} samples={samples} />
        <Appends health={data} samples={samples} />
        <Projector health={data} samples={samples} />
        <Workers health={data} />
        <OutboxTile />
      </div>
      {data.alerts.length === 0 && <AlertList alerts={data.alerts} />}
    </div>
  );
}

interface PartProps {
  readonly health: Health;
  readonly samples: readonly Health[];
}

function Store({ health: { store }, samples }: PartProps) {
  return (
    <Tile
      title="Store"
      isBad={store.roundTripMs === null}
      value={store.roundTripMs === null ? "not responding" : duration(store.roundTripMs)}
      unit="per round trip"
      trend={valuesOf(samples, (one) => one.store.roundTripMs)}
    />
  );
}

function Appends({ health: { appends }, samples }: PartProps) {
  if (appends === null) return <Tile title="Appends" value="–" unit="steps run in other processes" trend={[]} />;
  const rates = ratesOf(samples, (one) => one.appends?.total ?? null);
  const now = rates.at(-1);
  return (
    <Tile
      title="Appends"
      value={now === undefined ? "…" : count(Math.round(now * 10) / 10)}
      unit="events per second"
      trend={rates}
      facts={[
        { name: "p50", value: appends.p50Ms === null ? "–" : duration(appends.p50Ms) },
        { name: "p99", value: appends.p99Ms === null ? "–" : duration(appends.p99Ms) },
        { name: "since start", value: counted(appends.total, "event") },
      ]}
    />
  );
}

/** Above this lag the API marks snapshots as stale. */
const HIGH_LAG_SECONDS = 5;

function Projector({ health: { projector }, samples }: PartProps) {
  if (projector === null) return <Tile title="Projector" value="–" unit="not measured yet" trend={[]} />;
  const { lagSeconds, backlogRuns, staleRuns, p99LagMs } = projector;
  return (
    <Tile
      title="Projector"
      isBad={lagSeconds > HIGH_LAG_SECONDS || staleRuns > 0}
      value={duration(lagSeconds * 1000)}
      unit="behind the log"
      trend={valuesOf(samples, (one) => one.projector?.lagSeconds ?? null)}
      facts={[
        { name: "backlog", value: counted(backlogRuns, "run") },
        { name: "stale", value: counted(staleRuns, "run") },
        { name: "p99 lag", value: p99LagMs === null ? "–" : duration(p99LagMs) },
      ]}
    />
  );
}

function Workers({ health: { workers, openStreams } }: { readonly health: Health }) {
  const streams = openStreams === null ? [] : [{ name: "open streams", value: count(openStreams) }];
  return (
    <Tile
      title="Workers"
      isBad={workers.alive === 0}
      value={count(workers.alive)}
      unit="alive"
      trend={[]}
      facts={[{ name: "lost in the last 24 hours", value: count(workers.lost) }, ...streams]}
    >
      <Link to="/workers">View workers</Link>
    </Tile>
  );
}
