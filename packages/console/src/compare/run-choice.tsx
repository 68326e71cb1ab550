import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { duration, moment, relative, shortId } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Status } from "../ui/status.js";

interface RunChoiceProps {
  readonly runId: string;
  readonly onChoose: (runId: string) => void;
}

/** The other runs of the same workflow, newest first. */
export function RunChoice({ runId, onChoose }: RunChoiceProps) {
  const now = useNow();
  const { data, error, refetch } = useQuery({
    queryKey: ["comparable", runId],
    queryFn: async () => {
      const { planId } = await client.getRun(runId);
      const { items } = await client.listRuns({ limit: 50, ...(planId !== undefined && { workflow: planId }) });
      return items.filter((run) => run.runId !== runId);
    },
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Looking for runs" />;
  if (data.length === 0)
    return (
      <Empty title="There is no other run of this workflow yet">
        <p>When there is, it can be compared with this one.</p>
      </Empty>
    );
  return (
    <div className="columns">
      <section className="panel">
        <div className="panel-head">
          <h1>Compare with</h1>
          <span className="quiet">
            another run of {data[0]!.planId}; this one is <span className="mono">{shortId(runId)}</span>
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
