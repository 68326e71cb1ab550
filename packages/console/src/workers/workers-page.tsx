/** Who runs steps, what they can run, and what nobody can. */
import type { UnservedPlan } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { troubleOf } from "../api/trouble.js";
import { capital, counted } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { WorkerRow } from "./worker-row.js";

export function WorkersPage() {
  const query = useQuery({ queryKey: ["workers"], queryFn: () => client.listWorkers(), refetchInterval: 2_000 });
  const { data, refetch } = query;
  const trouble = troubleOf(query);
  if (data === undefined)
    return trouble === null ? (
      <Loading label="Loading workers" lines={6} />
    ) : (
      <Failure error={trouble} onRetry={() => void refetch()} />
    );
  const alive = data.items.filter((worker) => worker.alive).length;
  const busiestFirst = data.items.toSorted((one, other) => Number(other.alive) - Number(one.alive));
  return (
    <div className="columns">
      <StaleNotice error={trouble} />
      {data.unserved.map((plan) => (
        <Unserved key={`${plan.planId} ${plan.planVersion} ${plan.missing}`} plan={plan} />
      ))}
      <section className="panel">
        <div className="panel-head">
          <h1>Workers</h1>
          <span className="quiet">
            {counted(alive, "worker")} alive{alive < data.items.length && `, ${data.items.length - alive} lost`}
          </span>
        </div>
        {data.items.length === 0 ? (
          <Empty title="No worker has come yet">
            <p>Runs are queued until one does. Start it in the folder of a project:</p>
            <code>npx runledger worker</code>
          </Empty>
        ) : (
          <table className="table stacked workers">
            <thead>
              <tr>
                <th>Worker</th>
                <th>State</th>
                <th>Heartbeat</th>
                <th>Drives</th>
                <th>Can run</th>
              </tr>
            </thead>
            <tbody>
              {busiestFirst.map((worker) => (
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
      <Glyph name="alert" />
      <span>
        <b>{capital(reason)}</b>
        {openRuns !== null && `, and ${counted(openRuns, "open run")} cannot go on`}. Start a worker that has it, or
        cancel what waits.
      </span>
      <Link to="/runs" search={{ workflow: planId, version: planVersion, status: "PENDING,APPROVED,RUNNING,PAUSED" }}>
        Its open runs
      </Link>
    </div>
  );
}
