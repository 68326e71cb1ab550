import type { DatasetUse } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago, count, exactTime, shortId } from "../ui/format.js";
import { useNow } from "../ui/now.js";

/** Attempts that read or wrote a dataset. */
export function UseTable({ uses, label }: { readonly uses: readonly DatasetUse[]; readonly label: string }) {
  const now = useNow();
  return (
    <table className="table stacked" aria-label={label}>
      <thead>
        <tr>
          <th>Step</th>
          <th>Run</th>
          <th>Attempt</th>
          <th>Rows</th>
          <th>Time</th>
        </tr>
      </thead>
      <tbody>
        {uses.map((use) => (
          <tr key={`${use.planId} ${use.stepId} ${use.runId} ${use.attempt}`}>
            <td data-label="Step">
              <div className="two-lines">
                <Link to="/workflows/$workflowId" params={{ workflowId: use.planId }}>
                  {use.planId}
                </Link>
                <span>{use.stepId}</span>
              </div>
            </td>
            <td data-label="Run">
              <RunLink use={use} />
            </td>
            <td data-label="Attempt">{use.attempt}</td>
            <td data-label="Rows">{use.rows === undefined ? "–" : count(use.rows)}</td>
            <td data-label="Time" title={exactTime(use.at)}>
              {ago(use.at, now)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RunLink({ use: { runId, stepId } }: { readonly use: DatasetUse }) {
  if (runId === null) return <span className="quiet">deleted</span>;
  return (
    <Link to="/runs/$runId" params={{ runId }} search={{ step: stepId }}>
      {shortId(runId)}
    </Link>
  );
}
