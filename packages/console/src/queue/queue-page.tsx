/** Unfinished runs with the reason why they wait and their expected start. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { count } from "../ui/format.js";
import { useTitle } from "../ui/title.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { FairShare } from "./fair-share.js";
import { LimitBars } from "./limit-bars.js";
import { QueueTable } from "./queue-table.js";
import { places, type Place } from "./search.js";
import { useQueue } from "./use-queue.js";

export function QueuePage() {
  useTitle("Queue");
  const { where } = useSearch({ from: "/queue" });
  const navigate = useNavigate({ from: "/queue" });
  const { queue, error, retry } = useQueue();
  if (queue === null)
    return error === null ? <Loading label="Loading queue" lines={10} /> : <Failure error={error} onRetry={retry} />;
  const shown = queue.runs.filter((run) => (where === undefined ? run.where !== "running" : run.where === where));
  return (
    <div className="queue">
      <StaleNotice error={error} />
      <section className="panel queue-main" aria-label="Unfinished runs">
        <div className="panel-head">
          <h1>Queue</h1>
          <div className="row" role="group" aria-label="Filter by state">
            {places.map((place) => (
              <button
                key={place}
                type="button"
                className="chip"
                aria-pressed={where === place}
                title={TITLES[place]}
                onClick={() => void navigate({ search: where === place ? {} : { where: place }, replace: true })}
              >
                {WORDS[place]} <span className="count">{count(queue.counts[place])}</span>
              </button>
            ))}
          </div>
          {queue.isPartial && <span className="quiet">showing the oldest {count(queue.runs.length)} runs</span>}
        </div>
        {shown.length === 0 ? <EmptyQueue where={where} /> : <QueueTable runs={shown} />}
      </section>
      <aside className="queue-side">
        <LimitBars queue={queue} />
        <FairShare counts={queue.counts} />
      </aside>
    </div>
  );
}

const WORDS: Readonly<Record<Place, string>> = { queued: "Queued", waiting: "Waiting", running: "Running" };

const TITLES: Readonly<Record<Place, string>> = {
  queued: "Not started yet",
  waiting: "Started, but holding no slot: waiting for a signal, a timer, a child run or its next turn",
  running: "Claimed by a worker, or next to be claimed",
};

function EmptyQueue({ where }: { readonly where: Place | undefined }) {
  if (where === "running")
    return (
      <Empty title="No runs are running">
        <p>Runs appear here when they start.</p>
      </Empty>
    );
  return (
    <Empty title={where === undefined ? "The queue is empty" : `No ${where} runs`}>
      <p>Runs that have to wait appear here with the reason and the expected start.</p>
    </Empty>
  );
}
