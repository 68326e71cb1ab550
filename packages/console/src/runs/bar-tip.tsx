import { count } from "../ui/format.js";
import { Status } from "../ui/status.js";
import type { Bar } from "./histogram-bars.js";

const WHEN = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** The tooltip of a bar. It opens to the side with more room, so that it stays inside the chart. */
export function BarTip({ bar: { at, left, width, parts } }: { readonly bar: Bar }) {
  const middle = left + width / 2;
  const side = middle > 0.5 ? { right: `${(1 - middle) * 100}%` } : { left: `${middle * 100}%` };
  return (
    <div className="bar-tip popup" style={side} aria-hidden="true">
      <span className="quiet">from {WHEN.format(new Date(at))}</span>
      {parts.map(({ status, count: runs }) => (
        <span key={status} className="row">
          <Status of="run" status={status} />
          <span className="bar-tip-count">{count(runs)}</span>
        </span>
      ))}
    </div>
  );
}
