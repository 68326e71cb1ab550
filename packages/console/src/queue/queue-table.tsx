import type { QueuedRun } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago, moment, relative, shortId } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Reason } from "./reason.js";

export function QueueTable({ runs }: { readonly runs: readonly QueuedRun[] }) {
  return (
    <table className="table stacked queue-table">
      <thead>
        <tr>
          <th>Run</th>
          <th>Reason</th>
          <th>Since</th>
          <th>Position</th>
          <th>Expected start</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <QueueRow key={run.runId} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function QueueRow({ run }: { readonly run: QueuedRun }) {
  const { runId, where, planId, planVersion, priority, queuedAt, reasons, position, expectedAt, owner } = run;
  const now = useNow();
  return (
    <tr data-run={runId} data-where={where}>
      <td>
        <Link to="/runs/$runId" params={{ runId }} search={{}} className="strong-link" data-row>
          {planId}
        </Link>{" "}
        <span className="quiet">{planVersion}</span>
        <div className="mono quiet">
          {shortId(runId)}
          {priority !== 0 && ` · priority ${priority}`}
        </div>
      </td>
      <td>
        {reasons.length === 0 && <Running where={where} owner={owner} />}
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason.text}>
              <Reason reason={reason} now={now} />
            </li>
          ))}
        </ul>
      </td>
      <td data-label="Since" title={queuedAt === null ? undefined : moment(queuedAt, now)}>
        {queuedAt === null ? "" : ago(queuedAt, now)}
      </td>
      <td data-label="Position">{position ?? <span className="quiet">–</span>}</td>
      <td data-label="Expected" title={expectedAt === null ? "Unknown" : moment(expectedAt, now)}>
        {expectedAt === null ? <span className="quiet">–</span> : relative(expectedAt, now)}
        {expectedAt !== null && reasons.some(({ kind }) => kind === "signal") && (
          <span className="quiet"> at the latest</span>
        )}
      </td>
    </tr>
  );
}

function Running({ where, owner }: { readonly where: string; readonly owner: string | null }) {
  if (owner === null) return <span className="tone-busy">Next to be claimed</span>;
  const activity = where === "answering" ? "Handling an operator action on" : "Running on";
  return (
    <>
      <span className="tone-busy">{activity}</span> <span className="mono quiet">{owner.replace(/^worker-/, "")}</span>
    </>
  );
}
