import { useQueries } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { stepsOf } from "../api/all-steps.js";
import { duration } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Status } from "../ui/status.js";
import { align } from "./align.js";
import { CompareTable } from "./compare-table.js";
import { InputDiff } from "./input-diff.js";
import { RunChoice } from "./run-choice.js";

/** More steps than this are not compared one by one. */
const MOST_STEPS = 5000;

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
  const answers = useQueries({
    queries: [a, b].map((runId) => ({
      queryKey: ["compared", runId],
      queryFn: async () => {
        const [run, steps, first] = await Promise.all([
          client.getRun(runId),
          stepsOf(runId, MOST_STEPS),
          client.listEvents(runId, { limit: 1 }),
        ]);
        return { run, steps, input: (first.items[0]?.eventData as { input?: unknown } | null)?.input };
      },
    })),
  });
  const failed = answers.find(({ error }) => error !== null);
  if (failed !== undefined) return <Failure error={failed.error} onRetry={() => void failed.refetch()} />;
  const [one, other] = answers.map(({ data }) => data);
  if (one === undefined || other === undefined) return <Loading label="Reading both runs" lines={10} />;
  return (
    <div className="compare">
      <div className="compare-head">
        <h1>
          {one.run.planId} <span className="quiet">compared</span>
        </h1>
        <button type="button" className="button small" onClick={onSwap}>
          Swap
        </button>
      </div>
      <div className="compare-runs">
        {[one.run, other.run].map((run, index) => (
          <div key={index} className="panel compare-run">
            <b>{index === 0 ? "A" : "B"}</b>
            <Status of="run" status={run.status} />
            <span>{run.planVersion}</span>
            <span>{run.totalDurationMs === undefined ? "" : duration(run.totalDurationMs)}</span>
            <Link className="mono cut" to="/runs/$runId" params={{ runId: run.runId }} search={{}}>
              {run.runId}
            </Link>
          </div>
        ))}
      </div>
      <InputDiff a={one.input} b={other.input} />
      <CompareTable pairs={align(one.steps, other.steps)} a={a} b={b} />
    </div>
  );
}
