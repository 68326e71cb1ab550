import { explain } from "../ui/states.js";
import { count } from "../ui/format.js";
import type { RunList } from "./use-run-rows.js";

/** What comes below the last row: more, a reason why not, or the end. */
export function RunTableTail({ list: { rows, hasMore, error, retry } }: { readonly list: RunList }) {
  if (error !== null)
    return (
      <div className="run-tail" role="alert">
        <span className="tone-bad">{explain(error).title}.</span> What is above was read before.
        <button type="button" className="button small" onClick={retry}>
          Try again
        </button>
      </div>
    );
  if (hasMore)
    return (
      <div className="run-tail" role="status">
        {rows.length === 0 ? "Looking further back…" : "Reading older runs…"}
      </div>
    );
  return <div className="run-tail quiet">{rows.length > 20 ? `All ${count(rows.length)} runs are above.` : ""}</div>;
}
