import type { RunCounts } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { runStatuses } from "../runs/search.js";
import { count } from "../ui/format.js";
import { runLook, Status } from "../ui/status.js";

interface CountChipsProps {
  readonly workflowId: string;
  readonly counts: RunCounts;
}

/** The number of runs by status. Each links to these runs. */
export function CountChips({ workflowId, counts }: CountChipsProps) {
  return (
    <span className="row counts">
      {runStatuses
        .filter((status) => counts[status] > 0)
        .map((status) => (
          <Link
            key={status}
            to="/runs"
            search={{ workflow: workflowId, status }}
            className="count-link"
            aria-label={`${count(counts[status])} ${runLook(status).word.toLowerCase()}`}
            title={runLook(status).word}
          >
            <Status of="run" status={status} iconOnly /> {count(counts[status])}
          </Link>
        ))}
    </span>
  );
}
