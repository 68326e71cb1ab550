import type { Subscription } from "@runledger/client";
import { ago, counted, relative } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { useNow } from "../ui/now.js";
import { SubscriptionActions } from "./subscription-actions.js";
import { backlogText, filterText, receiverText } from "./subscription-text.js";

export function SubscriptionTable({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  return (
    <table className="table stacked subscriptions">
      <thead>
        <tr>
          <th>Subscription</th>
          <th>Events</th>
          <th>State</th>
          <th>Backlog</th>
          <th>Last delivery</th>
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {subscriptions.map((subscription) => (
          <SubscriptionRow key={subscription.subscriptionId} subscription={subscription} />
        ))}
      </tbody>
    </table>
  );
}

function SubscriptionRow({ subscription }: { readonly subscription: Subscription }) {
  const { subscriptionId, pendingRuns, deadLetters, lastDeliveredAt, state } = subscription;
  const now = useNow();
  return (
    <tr data-subscription={subscriptionId}>
      <td data-label="Name">
        <div className="two-lines">
          <b>{subscriptionId}</b>
          <span className="quiet cut" title={receiverText(subscription)}>
            {receiverText(subscription)}
          </span>
        </div>
      </td>
      <td data-label="Events">{filterText(subscription)}</td>
      <td data-label="State">
        <State subscription={subscription} now={now} />
      </td>
      <td data-label="Backlog">
        <div className="two-lines">
          <span className={pendingRuns > 0 && state === "unavailable" ? "tone-bad" : ""}>
            {backlogText(subscription)}
          </span>
          {deadLetters > 0 && <span className="tone-bad">{counted(deadLetters, "dead letter")}</span>}
        </div>
      </td>
      <td data-label="Delivered">{lastDeliveredAt === null ? "Never" : ago(lastDeliveredAt, now)}</td>
      <td className="end">
        <SubscriptionActions subscription={subscription} />
      </td>
    </tr>
  );
}

const STATES = {
  active: { icon: "done", tone: "tone-good", text: "Active" },
  paused: { icon: "paused", tone: "tone-wait", text: "Paused" },
  unavailable: { icon: "alert", tone: "tone-bad", text: "Unavailable" },
} as const;

/** The last error is shown while something waits because of it. */
function State({ subscription, now }: { readonly subscription: Subscription; readonly now: number }) {
  const { state, isFilling, lastError, pendingRuns, failures, retryAt } = subscription;
  const { icon, tone, text } = STATES[state];
  const isCurrent = lastError !== null && (failures > 0 || pendingRuns > 0);
  return (
    <div className="two-lines">
      <span>
        <span className={tone}>
          <Icon name={icon} />
        </span>{" "}
        {text}
        {isFilling && <span className="quiet">, listing earlier runs</span>}
        {state === "unavailable" && <span className="quiet">, {attemptText(retryAt, now)}</span>}
      </span>
      {isCurrent && (
        <span className="last-error" title={`${lastError.at}: ${lastError.message}`}>
          {lastError.message}
        </span>
      )}
    </div>
  );
}

function attemptText(retryAt: string | null, now: number): string {
  return retryAt === null || Date.parse(retryAt) <= now ? "retrying now" : `next attempt ${relative(retryAt, now)}`;
}
