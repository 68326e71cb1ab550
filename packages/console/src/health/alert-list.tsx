import type { Alert } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago, moment, shortId } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { useNow } from "../ui/now.js";

export function AlertList({ alerts }: { readonly alerts: readonly Alert[] }) {
  return (
    <section className="panel" aria-label="Alerts">
      <div className="panel-head">
        <h2>Alerts</h2>
        <span className="quiet">from all processes, newest first</span>
      </div>
      {alerts.length === 0 && <p className="panel-note">No alerts in the last 24 hours.</p>}
      <ul className="alerts">
        {alerts.map((alert) => (
          <AlertLine key={`${alert.at} ${alert.code} ${alert.runId ?? ""} ${alert.process ?? ""}`} alert={alert} />
        ))}
      </ul>
    </section>
  );
}

function AlertLine({ alert: { at, code, severity, message, runId, remedy, process } }: { readonly alert: Alert }) {
  const now = useNow();
  return (
    <li data-alert={code}>
      <span className={severity === "critical" ? "tone-bad" : "tone-wait"} title={SEVERITIES[severity]}>
        <Icon name="alert" /> {severity}
      </span>
      <div>
        <p>
          <b className="mono">{code}</b> {message}
        </p>
        <p className="quiet">What to do: {remedy}</p>
        {process !== undefined && <p className="quiet">Raised by {process}</p>}
      </div>
      <span className="alert-when">
        <span title={moment(at, now)}>{ago(at, now)}</span>
        {runId !== undefined && (
          <Link to="/runs/$runId" params={{ runId }} search={{}} className="mono">
            {shortId(runId)}
          </Link>
        )}
      </span>
    </li>
  );
}

const SEVERITIES = { critical: "Requires action", warning: "For your information" } as const;
