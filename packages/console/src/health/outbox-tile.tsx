import { Link } from "@tanstack/react-router";
import { backlogText } from "../outbox/subscription-text.js";
import { useSubscriptions } from "../outbox/use-subscriptions.js";
import { counted } from "../ui/format.js";
import { Tile } from "./tile.js";

/** The backlog of each subscription. */
export function OutboxTile() {
  const { data } = useSubscriptions();
  if (data === undefined) return <Tile title="Outbox" value="…" unit="" trend={[]} />;
  const subscriptions = data.pages.flatMap(({ items }) => items);
  const behind = subscriptions.reduce((sum, { pendingRuns }) => sum + pendingRuns, 0);
  const isBad = subscriptions.some(({ state, deadLetters }) => state === "unavailable" || deadLetters > 0);
  const hasNone = subscriptions.length === 0;
  return (
    <Tile
      title="Outbox"
      isBad={isBad}
      value={hasNone ? "–" : behind === 0 ? "Delivered" : counted(behind, "run")}
      unit={hasNone ? "no subscriptions" : behind === 0 ? "no backlog" : "with undelivered events"}
      trend={[]}
      facts={subscriptions.map((subscription) => ({
        name: subscription.subscriptionId,
        value: `${backlogText(subscription)}${subscription.state === "active" ? "" : `, ${subscription.state}`}`,
      }))}
    >
      <Link to="/outbox">View outbox</Link>
    </Tile>
  );
}
