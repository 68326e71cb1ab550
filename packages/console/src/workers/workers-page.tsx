/** Live workers, workers lost in the last 24 hours, and plans that no live worker serves. */
import type { UnservedPlan } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { capitalize, counted } from "../ui/format.js";
import { useTitle } from "../ui/title.js";
import { Icon } from "../ui/icon.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { WorkerRow } from "./worker-row.js";

export function WorkersPage() {
  useTitle("Workers");
  const query = useQuery({ queryKey: ["workers"], queryFn: () => client.listWorkers(), refetchInterval: 2_000 });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading workers" lines={6} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const alive = data.items.filter((worker) => worker.alive).length;
  const liveFirst = data.items.toSorted((one, other) => Number(other.alive) - Number(one.alive));
  return (
    <div className="columns">
      <StaleNotice error={error} />
      {data.unserved.map((plan) => (
        <Unserved key={`${plan.planId} ${plan.planVersion} ${plan.missing}`} plan={plan} />
      ))}
      <section className="panel">
        <div className="panel-head">
          <h1>Workers</h1>
          <span className="quiet">
            {counted(alive, "worker")} alive
            {alive < data.items.length && `, ${data.items.length - alive} lost in the last 24 hours`}
          </span>
        </div>
        {data.items.length === 0 ? (
          <Empty title="No workers yet">
            <p>Runs stay queued until a worker starts. Start one in the folder of a project:</p>
            <code>npx runledger worker</code>
          </Empty>
        ) : (
          <table className="table stacked workers">
            <thead>
              <tr>
                <th>Worker</th>
                <th>State</th>
                <th>Heartbeat</th>
                <th>Current runs</th>
                <th>Workflows</th>
              </tr>
            </thead>
            <tbody>
              {liveFirst.map((worker) => (
                <WorkerRow key={worker.workerId} worker={worker} serverNow={data.now} />
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}

function Unserved({ plan: { planId, planVersion, openRuns, reason } }: { readonly plan: UnservedPlan }) {
  return (
    <div className="notice" role="status" data-unserved={planId}>
      <Icon name="alert" />
      <span>
        <b>{capitalize(reason)}</b>
        {openRuns !== null && `, and ${counted(openRuns, "open run")} cannot continue`}. Start a worker that serves this
        version, or cancel these runs.
      </span>
      <Link to="/runs" search={{ workflow: planId, version: planVersion, status: "PENDING,APPROVED,RUNNING,PAUSED" }}>
        View open runs
      </Link>
    </div>
  );
}
