/** Triggers, which start runs for events of other systems. */
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { counted } from "../ui/format.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { TriggerTable } from "./trigger-table.js";
import { useTriggers } from "./use-triggers.js";

export function TriggersPage() {
  useTitle("Triggers");
  const query = useTriggers();
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading triggers" lines={6} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const triggers = data.pages.flatMap(({ items }) => items);
  return (
    <div className="columns">
      <StaleNotice error={error} />
      <section className="panel" aria-label="Triggers">
        <div className="panel-head">
          <h1>Triggers</h1>
          <span className="quiet wide-only">{triggers.length > 0 && counted(triggers.length, "trigger")}</span>
        </div>
        {triggers.length === 0 ? <NoTriggers /> : <TriggerTable triggers={triggers} />}
        {hasNextPage && (
          <Button variant="plain" onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        )}
      </section>
    </div>
  );
}

function NoTriggers() {
  return (
    <Empty title="No triggers yet">
      <p>
        A trigger starts a run for each event of a signed webhook or a message broker, once per event id. Create one
        with <code>runledger triggers put</code>.
      </p>
    </Empty>
  );
}
