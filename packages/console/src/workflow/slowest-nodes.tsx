/** The slowest nodes of a dbt project over the last runs. */
import type { SlowStep } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { counted, duration } from "../ui/format.js";
import { innerLabel } from "../ui/inner-label.js";
import { Empty, Failure, Loading } from "../ui/states.js";

const RUNS = 10;
const NODES = 15;

export function SlowestNodes({ workflowId }: { readonly workflowId: string }) {
  const query = useQuery({
    queryKey: ["slowest-steps", workflowId],
    queryFn: () => client.listSlowestSteps(workflowId, { runs: RUNS, limit: NODES }),
    refetchInterval: 60_000,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined && error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading nodes" lines={6} />;
  if (data.steps.length === 0)
    return (
      <Empty title="No nodes yet">
        <p>The nodes of the dbt project appear here after its first run.</p>
      </Empty>
    );
  return (
    <>
      <p className="quiet">
        Slowest by median over the last {counted(data.runs, "run")}. Each links to the run in which it took longest.
      </p>
      <table className="table inner-table">
        <thead>
          <tr>
            <th>Node</th>
            <th className="end">p50</th>
            <th className="end">Longest</th>
            <th className="end">Last</th>
          </tr>
        </thead>
        <tbody>
          {data.steps.map((step) => (
            <NodeRow key={step.stepId} step={step} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function NodeRow({ step: { stepId, kind, p50Ms, maxMs, lastMs, slowestRunId } }: { readonly step: SlowStep }) {
  return (
    <tr data-node={stepId}>
      <td title={stepId}>
        <Link to="/runs/$runId" params={{ runId: slowestRunId }} search={{ step: stepId }} className="strong-link">
          {innerLabel(stepId.slice(stepId.lastIndexOf("/") + 1), kind)}
        </Link>{" "}
        <span className="quiet">{kind}</span>
      </td>
      <td className="end number">{duration(p50Ms)}</td>
      <td className="end number">{duration(maxMs)}</td>
      <td className="end number">{duration(lastMs)}</td>
    </tr>
  );
}
