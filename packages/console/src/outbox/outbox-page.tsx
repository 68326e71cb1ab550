/** Subscriptions, which send events to other systems, and their dead letters. */
import { useState } from "react";
import { queryErrorOf } from "../api/query-error.js";
import { useRefusal } from "../api/session.js";
import { Button } from "../ui/button.js";
import { counted } from "../ui/format.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { DeadLetterPanel } from "./dead-letter-panel.js";
import { SubscriptionDialog } from "./subscription-dialog.js";
import { SubscriptionTable } from "./subscription-table.js";
import { useSubscriptions } from "./use-subscriptions.js";

export function OutboxPage() {
  useTitle("Outbox");
  const query = useSubscriptions();
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading subscriptions" lines={6} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const subscriptions = data.pages.flatMap(({ items }) => items);
  return (
    <div className="columns">
      <StaleNotice error={error} />
      <section className="panel" aria-label="Subscriptions">
        <div className="panel-head">
          <h1>Subscriptions</h1>
          <span className="quiet wide-only">
            {subscriptions.length > 0 && counted(subscriptions.length, "subscription")}
          </span>
          <span className="grow" />
          <CreateButton />
        </div>
        {subscriptions.length === 0 ? <NoSubscriptions /> : <SubscriptionTable subscriptions={subscriptions} />}
        {hasNextPage && (
          <Button variant="plain" onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        )}
      </section>
      {subscriptions.length > 0 && <DeadLetterPanel />}
    </div>
  );
}

function CreateButton() {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal("engineer");
  return (
    <>
      <Button size="small" disabled={refusal !== null} title={refusal ?? undefined} onClick={() => setOpen(true)}>
        Create subscription
      </Button>
      {isOpen && <SubscriptionDialog subscription={null} onClose={() => setOpen(false)} />}
    </>
  );
}

function NoSubscriptions() {
  return (
    <Empty title="No subscriptions yet">
      <p>
        A subscription sends the events of runs to a webhook or a message broker: in order per run, and at least once.
        While the receiver is down, events wait in the log.
      </p>
    </Empty>
  );
}
