import { Link } from "@tanstack/react-router";
import { useMe } from "../api/session.js";
import { counted, shortId } from "../ui/format.js";
import { limitUses, targetText, type LimitUse } from "./limit-use.js";
import type { Queue } from "./use-queue.js";

export function LimitBars({ queue }: { readonly queue: Queue }) {
  const { data: me } = useMe();
  const uses = limitUses(queue, me?.tenantId ?? "default");
  const rates = queue.limits.filter(({ rate }) => rate !== null);
  return (
    <section className="panel" aria-label="Limits">
      <div className="panel-head">
        <h2>Limits</h2>
        <span className="quiet">concurrency and start rate</span>
      </div>
      {uses.length === 0 && rates.length === 0 && (
        <p className="panel-note">No limits. Runs start as soon as a worker has capacity.</p>
      )}
      <ul className="limits">
        {uses.map((use) => (
          <Bar key={`${use.target.scope} ${use.target.subject}`} use={use} />
        ))}
        {rates.map((limit) => (
          <li key={`rate ${limit.scope} ${limit.subject}`}>
            <b>{targetText(limit)}</b>{" "}
            <span className="quiet">
              at most {counted(limit.rate!.starts, "start")} per {limit.rate!.perMs / 1000} s
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bar({ use }: { readonly use: LimitUse }) {
  const { target, maxRunning, taken, holders, waiting, isAtLeast } = use;
  const isFull = taken >= maxRunning;
  return (
    <li data-limit={`${target.scope} ${target.subject}`}>
      <div className="limit-line">
        <b className="cut">{targetText(target)}</b>
        <span className={isFull ? "tone-wait" : "quiet"}>
          {isAtLeast && "at least "}
          {taken} of {maxRunning}
          {isFull && ", full"}
        </span>
      </div>
      <div
        className={`limit-bar ${isFull ? "full" : ""}`}
        role="meter"
        aria-label={targetText(target)}
        aria-valuemin={0}
        aria-valuemax={maxRunning}
        aria-valuenow={taken}
      >
        <span style={{ width: `${maxRunning === 0 ? 100 : (taken / maxRunning) * 100}%` }} />
      </div>
      <div className="limit-line quiet">
        <span className="holders">
          {holders.length > 0 && "held by "}
          {holders.map((runId) => (
            <Link key={runId} to="/runs/$runId" params={{ runId }} search={{}} className="mono">
              {shortId(runId)}
            </Link>
          ))}
        </span>
        {waiting > 0 && <span>{counted(waiting, "run")} waiting</span>}
      </div>
    </li>
  );
}
