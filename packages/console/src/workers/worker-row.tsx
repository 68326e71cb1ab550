import type { WorkerInfo } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago, count, dayAndTime, shortId } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";

interface WorkerRowProps {
  readonly worker: WorkerInfo;
  /** The store's clock, which leases are by. */
  readonly serverNow: string;
}

const MOST_RUNS = 4;
const MOST_PLANS = 3;

export function WorkerRow({ worker, serverNow }: WorkerRowProps) {
  const { workerId, alive, expiresAt, lastHeartbeatAt, runs, plans } = worker;
  const now = Date.parse(serverNow);
  return (
    <tr className={alive ? "" : "gone"} data-worker={workerId}>
      <td className="mono cut" title={workerId}>
        {workerId.replace(/^worker-/, "")}
      </td>
      <td data-label="State">
        <span className={`status ${alive ? "tone-good" : "tone-bad"}`}>
          <Glyph name={alive ? "live" : "failed"} /> {alive ? "Alive" : "Lost"}
        </span>
      </td>
      <td data-label="Heartbeat" title={`its lease ${alive ? "ends" : "ended"} ${dayAndTime(expiresAt)}`}>
        {lastHeartbeatAt === null ? "–" : ago(lastHeartbeatAt, now)}
      </td>
      <td data-label="Drives">
        {runs.length === 0 && <span className="quiet">{alive ? "nothing right now" : "its runs were taken over"}</span>}
        <span className="worker-runs">
          {runs.slice(0, MOST_RUNS).map(({ runId, planId }) => (
            <Link key={runId} to="/runs/$runId" params={{ runId }} search={{}}>
              {planId} <span className="mono quiet">{shortId(runId)}</span>
            </Link>
          ))}
          {runs.length > MOST_RUNS && <span className="quiet">and {count(runs.length - MOST_RUNS)} more</span>}
        </span>
      </td>
      <td data-label="Can run">
        <span className="worker-plans" title={plans.map(nameOf).join("\n")}>
          {plans.slice(0, MOST_PLANS).map((plan) => (
            <Link key={nameOf(plan)} to="/workflows/$workflowId" params={{ workflowId: plan.planId }} search={{}}>
              {plan.planId} <span className="quiet">{plan.planVersion}</span>
            </Link>
          ))}
          {plans.length > MOST_PLANS && <span className="quiet">and {count(plans.length - MOST_PLANS)} more</span>}
        </span>
      </td>
    </tr>
  );
}

function nameOf({ planId, planVersion }: WorkerInfo["plans"][number]): string {
  return `${planId} ${planVersion}`;
}
