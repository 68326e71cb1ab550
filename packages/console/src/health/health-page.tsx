/** How the whole stands: what is slow, what is behind, what is wrong, and what to do about it. */
import type { Health } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { troubleOf } from "../api/trouble.js";
import { count, counted, duration } from "../ui/format.js";
import { Failure, Loading, StaleNotice } from "../ui/states.js";
import { AlertList } from "./alert-list.js";
import { Tile } from "./tile.js";
import { ratesOf, useSamples, valuesOf } from "./samples.js";
import { Verdict } from "./verdict.js";

const EVERY_MS = 2_000;

export function HealthPage() {
  const query = useQuery({ queryKey: ["health"], queryFn: () => client.getHealth(), refetchInterval: EVERY_MS });
  const { data, refetch } = query;
  const trouble = troubleOf(query);
  const samples = useSamples(data);
  if (data === undefined)
    return trouble === null ? (
      <Loading label="Asking how things stand" lines={8} />
    ) : (
      <Failure error={trouble} onRetry={() => void refetch()} />
    );
  return (
    <div className="columns health">
      <StaleNotice error={trouble} />
      <Verdict health={data} />
      {data.alerts.length > 0 && <AlertList alerts={data.alerts} />}
      <div className="tiles">
        <Store health={data} samples={samples} />
        <Appends health={data} samples={samples} />
        <Projector health={data} samples={samples} />
        <Workers health={data} />
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
      value={store.roundTripMs === null ? "no answer" : duration(store.roundTripMs)}
      unit="per round trip"
      trend={valuesOf(samples, (one) => one.store.roundTripMs)}
    />
  );
}

function Appends({ health: { appends }, samples }: PartProps) {
  if (appends === null) return <Tile title="Appends" value="–" unit="other processes run the steps" trend={[]} />;
  const rates = ratesOf(samples, (one) => one.appends?.total ?? null);
  const now = rates.at(-1);
  return (
    <Tile
      title="Appends"
      value={now === undefined ? "…" : count(Math.round(now * 10) / 10)}
      unit="events per second"
      trend={rates}
      facts={[
        { name: "half within", value: appends.p50Ms === null ? "–" : duration(appends.p50Ms) },
        { name: "99 of 100 within", value: appends.p99Ms === null ? "–" : duration(appends.p99Ms) },
        { name: "since its start", value: counted(appends.total, "event") },
      ]}
    />
  );
}

/** From here on readers are told that what they see is stale. */
const HIGH_LAG_SECONDS = 5;

function Projector({ health: { projector }, samples }: PartProps) {
  if (projector === null) return <Tile title="Projector" value="–" unit="another process projects" trend={[]} />;
  const { lagSeconds, backlogRuns, staleRuns, p99LagMs } = projector;
  return (
    <Tile
      title="Projector"
      isBad={lagSeconds > HIGH_LAG_SECONDS || staleRuns > 0}
      value={duration(lagSeconds * 1000)}
      unit="behind the log"
      trend={valuesOf(samples, (one) => one.projector?.lagSeconds ?? null)}
      facts={[
        { name: "not projected yet", value: counted(backlogRuns, "run") },
        { name: "stale", value: counted(staleRuns, "run") },
        { name: "99 of 100 within", value: p99LagMs === null ? "–" : duration(p99LagMs) },
      ]}
    />
  );
}

function Workers({ health: { workers, openStreams } }: { readonly health: Health }) {
  const readers = openStreams === null ? [] : [{ name: "readers that follow live", value: count(openStreams) }];
  return (
    <Tile
      title="Workers"
      isBad={workers.alive === 0}
      value={count(workers.alive)}
      unit="alive"
      trend={[]}
      facts={[{ name: "lost in the last day", value: count(workers.lost) }, ...readers]}
    >
      <Link to="/workers">What they drive</Link>
    </Tile>
  );
}
