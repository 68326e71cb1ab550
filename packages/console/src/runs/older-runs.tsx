import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { Button } from "../ui/button.js";
import { counted } from "../ui/format.js";
import { countedBy, filterOf, statusesOf, type RunsSearch } from "./search.js";
import type { TimeRange } from "./time-range.js";
import { useHistogram } from "./use-histogram.js";

interface OlderRunsProps {
  readonly search: RunsSearch;
  readonly range: TimeRange;
  readonly onAll: () => void;
}

const OPEN = ["PENDING", "APPROVED", "RUNNING", "PAUSED"] as const;

/** Reminds the user of open runs that the time range hides, for example a run that has waited for approval for days. */
export function OlderRuns({ search, range, onAll }: OlderRunsProps) {
  const filter = countedBy(search);
  const isCounted = Object.keys(filterOf(search)).length === Object.keys(filter).length;
  const isLatest = search.from === undefined && search.to === undefined && search.range !== "all";
  const { data: shown } = useHistogram(search, range);
  const { data: all } = useQuery({
    queryKey: ["run-counts", filter],
    queryFn: () => client.countRuns(filter),
    enabled: isCounted && isLatest,
    refetchInterval: 15_000,
  });
  if (shown === undefined || all === undefined || !isCounted || !isLatest) return null;
  const chosen = statusesOf(search);
  const statuses = OPEN.filter((status) => chosen.length === 0 || chosen.includes(status));
  const older = statuses.reduce((sum, status) => sum + all[status] - shown.counts[status], 0);
  if (older <= 0) return null;
  return (
    <p className="older-runs" role="status">
      {counted(older, "open run")} {older === 1 ? "is" : "are"} older than this time range.
      <Button variant="link" onClick={onAll}>
        Show all
      </Button>
    </p>
  );
}
