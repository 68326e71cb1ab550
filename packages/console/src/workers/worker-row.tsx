import type { WorkerInfo } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago, count, dayAndTime, shortId } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

interface WorkerRowProps {
  readonly worker: WorkerInfo;
  /** The time of the store's clock, which decides on leases. */
  readonly serverNow: string;
}

const MAX_RUNS = 4;
const MAX_PLANS = 3;

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
          <Icon name={alive ? "live" : "failed"} /> {alive ? "Alive" : "Lost"}
        </span>
      </td>
      <td data-label="Heartbeat" title={`Lease ${alive ? "expires" : "expired"} ${dayAndTime(expiresAt)}`}>
        {lastHeartbeatAt === null ? "–" : ago(lastHeartbeatAt, now)}
      </td>
      <td data-label="Current runs">
        {runs.length === 0 && <span className="quiet">{alive ? "idle" : "runs were taken over"}</span>}
        <span className="worker-runs">
          {runs.slice(0, MAX_RUNS).map(({ runId, planId }) => (
            <Link key={runId} to="/runs/$runId" params={{ runId }} search={{}}>
              {planId} <span className="mono quiet">{shortId(runId)}</span>
            </Link>
          ))}
          {runs.length > MAX_RUNS && <span className="quiet">and {count(runs.length - MAX_RUNS)} more</span>}
        </span>
      </td>
      <td data-label="Workflows">
        <span className="worker-plans" title={plans.map(nameOf).join("\n")}>
          {plans.slice(0, MAX_PLANS).map((plan) => (
            <Link key={nameOf(plan)} to="/workflows/$workflowId" params={{ workflowId: plan.planId }} search={{}}>
              {plan.planId} <span className="quiet">{plan.planVersion}</span>
            </Link>
          ))}
          {plans.length > MAX_PLANS && <span className="quiet">and {count(plans.length - MAX_PLANS)} more</span>}
        </span>
      </td>
    </tr>
  );
}

function nameOf({ planId, planVersion }: WorkerInfo["plans"][number]): string {
  return `${planId} ${planVersion}`;
}
