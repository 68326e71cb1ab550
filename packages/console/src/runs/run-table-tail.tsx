import { Button } from "../ui/button.js";
import { explain } from "../ui/states.js";
import { count } from "../ui/format.js";
import type { RunList } from "./use-run-rows.js";

/** Below the last row: a loading state, an error or the end of the list. */
export function RunTableTail({ list: { rows, hasMore, error, retry } }: { readonly list: RunList }) {
  if (error !== null)
    return (
      <div className="run-tail" role="alert">
        <span className="tone-bad">{explain(error).title}.</span> Showing the runs loaded so far.
        <Button size="small" onClick={retry}>
          Retry
        </Button>
      </div>
    );
  if (hasMore)
    return (
      <div className="run-tail" role="status">
        {rows.length === 0 ? "Searching older runs…" : "Loading older runs…"}
      </div>
    );
  return <div className="run-tail quiet">{rows.length > 20 ? `All ${count(rows.length)} runs are shown.` : ""}</div>;
}
