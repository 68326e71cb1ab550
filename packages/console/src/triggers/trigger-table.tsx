import type { Trigger } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { ago } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { useNow } from "../ui/now.js";
import { TriggerActions } from "./trigger-actions.js";

export function TriggerTable({ triggers }: { readonly triggers: readonly Trigger[] }) {
  return (
    <table className="table stacked subscriptions">
      <thead>
        <tr>
          <th>Trigger</th>
          <th>Workflow</th>
          <th>State</th>
          <th>Events</th>
          <th>Last event</th>
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => (
          <TriggerRow key={trigger.triggerId} trigger={trigger} />
        ))}
      </tbody>
    </table>
  );
}

function TriggerRow({ trigger }: { readonly trigger: Trigger }) {
  const { triggerId, source, workflow, version, filter, lastEventAt, lastRunId } = trigger;
  const now = useNow();
  return (
    <tr data-trigger={triggerId}>
      <td data-label="Name">
        <div className="two-lines">
          <b>{triggerId}</b>
          <span className="quiet cut">{sourceText(source)}</span>
        </div>
      </td>
      <td data-label="Workflow">
        <div className="two-lines">
          <span>{version === undefined ? workflow : `${workflow} ${version}`}</span>
          {filter !== undefined && (
            <code className="quiet cut" title={filter}>
              {filter}
            </code>
          )}
        </div>
      </td>
      <td data-label="State">
        <State trigger={trigger} />
      </td>
      <td data-label="Events">
        <Counts trigger={trigger} />
      </td>
      <td data-label="Last event">
        <div className="two-lines">
          <span>{lastEventAt === null ? "Never" : ago(lastEventAt, now)}</span>
          {lastRunId !== null && (
            <Link to="/runs/$runId" params={{ runId: lastRunId }} search={{}}>
              Last run
            </Link>
          )}
        </div>
      </td>
      <td className="end">
        <TriggerActions trigger={trigger} />
      </td>
    </tr>
  );
}

const STATES = {
  active: { icon: "done", tone: "tone-good", text: "Active" },
  paused: { icon: "paused", tone: "tone-wait", text: "Paused" },
  unavailable: { icon: "alert", tone: "tone-bad", text: "Unavailable" },
} as const;

/** The last error is shown while the source is unavailable, and if events were rejected. */
function State({ trigger: { state, lastError, failures, rejected } }: { readonly trigger: Trigger }) {
  const { icon, tone, text } = STATES[state];
  return (
    <div className="two-lines">
      <span>
        <span className={tone}>
          <Icon name={icon} />
        </span>{" "}
        {text}
      </span>
      {lastError !== null && (failures > 0 || rejected > 0) && (
        <span className="last-error" title={`${lastError.at}: ${lastError.message}`}>
          {lastError.message}
        </span>
      )}
    </div>
  );
}

function Counts({ trigger: { started, repeated, skipped, rejected } }: { readonly trigger: Trigger }) {
  return (
    <div className="two-lines">
      <span>
        {started} started, {repeated} repeated, {skipped} skipped
      </span>
      {rejected > 0 && <span className="tone-bad">{rejected} rejected</span>}
    </div>
  );
}

function sourceText({ type, ...settings }: Trigger["source"]): string {
  const place = settings["name"] ?? settings["topic"] ?? settings["stream"];
  return typeof place === "string" ? `${type} ${place}` : type;
}
