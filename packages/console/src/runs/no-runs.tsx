import { Button } from "../ui/button.js";
import { Empty } from "../ui/states.js";
import { rangeText } from "./histogram.js";
import type { RunsSearch } from "./search.js";

interface NoRunsProps {
  readonly search: RunsSearch;
  readonly onClear: () => void;
  /** Shows runs of all times. */
  readonly onAll: () => void;
}

export function NoRuns({ search, onClear, onAll }: NoRunsProps) {
  const isFiltered = Object.keys(search).some((name) => name !== "range");
  if (!isFiltered && search.range === "all")
    return (
      <Empty title="No runs yet">
        <p>New runs appear here automatically. To start one from a project:</p>
        <code>npx runledger run FILE --wait</code>
      </Empty>
    );
  if (!isFiltered)
    return (
      <Empty title={`No runs ${rangeText(search)}`}>
        <p>New runs appear here automatically.</p>
        <Button onClick={onAll}>Show runs of all times</Button>
      </Empty>
    );
  return (
    <Empty title="No runs match these filters">
      <p>New runs that match appear here automatically.</p>
      <Button onClick={onClear}>Clear filters</Button>
      {search.range !== "all" && <Button onClick={onAll}>Search runs of all times</Button>}
    </Empty>
  );
}
