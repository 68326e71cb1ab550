import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { duration } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Status } from "../ui/status.js";
import { CompareTable } from "./compare-table.js";
import { InputDiff } from "./input-diff.js";
import { RunChoice } from "./run-choice.js";
import { wholeDiff } from "./whole-diff.js";

/** Two runs side by side: what was the same, what was not, and where it began. */
export function ComparePage() {
  const { a, b } = useSearch({ from: "/compare" });
  const navigate = useNavigate({ from: "/compare" });
  if (a === undefined)
    return (
      <Empty title="Choose a run to compare">
        <p>Open a run and choose Compare.</p>
        <Link to="/runs" search={{}}>
          To the runs
        </Link>
      </Empty>
    );
  if (b === undefined) return <RunChoice runId={a} onChoose={(other) => void navigate({ search: { a, b: other } })} />;
  return <Comparison key={`${a} ${b}`} a={a} b={b} onSwap={() => void navigate({ search: { a: b, b: a } })} />;
}

function Comparison({ a, b, onSwap }: { readonly a: string; readonly b: string; readonly onSwap: () => void }) {
  const { data, error, refetch } = useQuery({ queryKey: ["compared", a, b], queryFn: () => wholeDiff(a, b) });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Reading both runs" lines={10} />;
  return (
    <div className="compare">
      <div className="compare-head">
        <h1>
          {[...new Set([data.one.planId, data.other.planId])].join(" and ")} <span className="quiet">compared</span>
        </h1>
        <button type="button" className="button small" onClick={onSwap}>
          Swap
        </button>
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
          {data.sameInput === true ? "Both had the same input." : "Their input is not on record."}
        </p>
      )}
      <CompareTable diff={data} a={a} b={b} />
    </div>
  );
}
