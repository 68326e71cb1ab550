/** Who waits, for what, since when, and when it is expected to begin. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { count } from "../ui/format.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { FairShare } from "./fair-share.js";
import { LimitBars } from "./limit-bars.js";
import { QueueTable } from "./queue-table.js";
import { places, type Place } from "./search.js";
import { useQueue } from "./use-queue.js";

export function QueuePage() {
  const { where } = useSearch({ from: "/queue" });
  const navigate = useNavigate({ from: "/queue" });
  const { queue, trouble, retry } = useQueue();
  if (queue === null)
    return trouble === null ? (
      <Loading label="Loading the queue" lines={10} />
    ) : (
      <Failure error={trouble} onRetry={retry} />
    );
  const shown = queue.runs.filter((run) => (where === undefined ? run.where !== "running" : run.where === where));
  return (
    <div className="queue">
      <StaleNotice error={trouble} />
      <section className="panel queue-main" aria-label="Runs that have not ended">
        <div className="panel-head">
          <h1>Queue</h1>
          <div className="row" role="group" aria-label="Which runs">
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
          {queue.isPartial && <span className="quiet">the oldest {count(queue.runs.length)} runs are looked at</span>}
        </div>
        {shown.length === 0 ? <Nothing where={where} /> : <QueueTable runs={shown} />}
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
  queued: "Not begun yet",
  waiting: "Begun, and holding no slot: it waits for a signal, a time, a child or its next turn",
  running: "A worker has it, or takes it next",
};

function Nothing({ where }: { readonly where: Place | undefined }) {
  if (where === "running")
    return (
      <Empty title="Nothing runs right now">
        <p>What begins shows up here.</p>
      </Empty>
    );
  return (
    <Empty title={where === undefined ? "Nobody waits" : `Nothing is ${where}`}>
      <p>A run that has to wait shows up here, with the reason and the expected start.</p>
    </Empty>
  );
}
