import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { duration, moment, relative, shortId } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Status } from "../ui/status.js";

interface RunPickerProps {
  readonly runId: string;
  readonly onChoose: (runId: string) => void;
}

/** Lists the other runs of the same workflow, newest first. */
export function RunPicker({ runId, onChoose }: RunPickerProps) {
  const now = useNow();
  const query = useQuery({
    queryKey: ["comparable", runId],
    queryFn: async () => {
      const { planId } = await client.getRun(runId);
      const { items } = await client.listRuns({ limit: 50, ...(planId !== undefined && { workflow: planId }) });
      return items.filter((run) => run.runId !== runId);
    },
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading runs" />;
  if (data.length === 0)
    return (
      <Empty title="No other runs of this workflow">
        <p>You can compare this run when the workflow has another one.</p>
      </Empty>
    );
  return (
    <div className="columns">
      <section className="panel">
        <div className="panel-head">
          <h1>Compare with</h1>
          <span className="quiet">
            another run of {data[0]!.planId}; comparing <span className="mono">{shortId(runId)}</span>
          </span>
        </div>
        <ul>
          {data.map((run) => (
            <li key={run.runId}>
              <button type="button" className="choice" data-row onClick={() => onChoose(run.runId)}>
                <Status of="run" status={run.status} />
                <span>{run.planVersion}</span>
                <span>
                  {moment(run.createdAt, now)} <span className="quiet">{relative(run.createdAt, now)}</span>
                </span>
                <span>{run.totalDurationMs === undefined ? "" : duration(run.totalDurationMs)}</span>
                <span className="mono quiet cut">{run.runId}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
