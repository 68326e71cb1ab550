import type { QueueCounts } from "@runledger/client";
import { useMe } from "../api/session.js";
import { count } from "../ui/format.js";

const PARTS = [
  { name: "running", word: "running", tone: "busy" },
  { name: "waiting", word: "waiting", tone: "wait" },
  { name: "queued", word: "queued", tone: "idle" },
] as const;

/** The runs of the tenant in the queue. */
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
          {total === 0 && "No runs in the queue."}
          {total > 0 && PARTS.map(({ name, word }) => `${count(counts[name])} ${word}`).join(", ")}
        </p>
        <p className="quiet">
          Tenants take turns. The next run to start belongs to the tenant that has waited longest, no matter how many
          runs others have queued.
        </p>
      </div>
    </section>
  );
}
