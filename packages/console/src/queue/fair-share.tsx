import type { QueueCounts } from "@runledger/client";
import { useMe } from "../app/session.js";
import { count } from "../ui/format.js";

const PARTS = [
  { name: "running", word: "running", tone: "busy" },
  { name: "waiting", word: "waiting", tone: "wait" },
  { name: "queued", word: "queued", tone: "idle" },
] as const;

/** What the tenant has of the queue. Whoever has waited longest for a turn is served first, whatever others have queued. */
export function FairShare({ counts }: { readonly counts: QueueCounts }) {
  const { data: me } = useMe();
  const total = counts.running + counts.waiting + counts.queued;
  return (
    <section className="panel" aria-label="Fair share">
      <div className="panel-head">
        <h2>Fair share</h2>
        <span className="quiet">tenant {me?.tenantId}</span>
      </div>
      <div className="share">
        <div className="share-bar" aria-hidden="true">
          {PARTS.map(({ name, tone }) => (
            <span key={name} className={`tone-${tone}`} style={{ flexGrow: counts[name] }} />
          ))}
        </div>
        <p>
          {total === 0 && "It has nothing in the queue."}
          {total > 0 && PARTS.map(({ name, word }) => `${count(counts[name])} ${word}`).join(", ")}
        </p>
        <p className="quiet">
          Tenants take turns: however much one of them has queued, the next one to begin is of whoever has waited
          longest for a turn.
        </p>
      </div>
    </section>
  );
}
