import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { useTitle } from "../ui/title.js";
import { duration } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Status } from "../ui/status.js";
import { CompareTable } from "./compare-table.js";
import { InputDiff } from "./input-diff.js";
import { RunPicker } from "./run-picker.js";
import { fetchDiff } from "./fetch-diff.js";

export function ComparePage() {
  useTitle("Compare runs");
  const { a, b } = useSearch({ from: "/compare" });
  const navigate = useNavigate({ from: "/compare" });
  if (a === undefined)
    return (
      <Empty title="Select a run to compare">
        <p>Open a run and select Compare.</p>
        <Link to="/runs" search={{}}>
          View runs
        </Link>
      </Empty>
    );
  if (b === undefined) return <RunPicker runId={a} onChoose={(other) => void navigate({ search: { a, b: other } })} />;
  return <Comparison key={`${a} ${b}`} a={a} b={b} onSwap={() => void navigate({ search: { a: b, b: a } })} />;
}

function Comparison({ a, b, onSwap }: { readonly a: string; readonly b: string; readonly onSwap: () => void }) {
  const query = useQuery({ queryKey: ["compared", a, b], queryFn: () => fetchDiff(a, b) });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading both runs" lines={10} />;
  return (
    <div className="compare">
      <div className="compare-head">
        <h1>
          {[...new Set([data.one.planId, data.other.planId])].join(" and ")} <span className="quiet">compared</span>
        </h1>
        <Button size="small" onClick={onSwap}>
          Swap
        </Button>
      </div>
      <div className="compare-runs">
        {[data.one, data.other].map((run, index) => (
          <div key={index} className="panel compare-run">
            <b>{index === 0 ? "A" : "B"}</b>
            <Status of="run" status={run.status} />
            <span className="cut">{run.planVersion}</span>
            <span>{run.totalDurationMs === undefined ? "" : duration(run.totalDurationMs)}</span>
            <Link className="mono cut" to="/runs/$runId" params={{ runId: run.runId }} search={{}}>
              {run.runId}
            </Link>
          </div>
        ))}
      </div>
      {data.sameInput === false ? (
        <InputDiff a={a} b={b} />
      ) : (
        <p className="quiet">
          {data.sameInput === true ? "Both runs had the same input." : "The inputs were not recorded."}
        </p>
      )}
      <CompareTable diff={data} a={a} b={b} />
    </div>
  );
}
