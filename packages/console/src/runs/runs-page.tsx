import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { Failure, Loading } from "../ui/states.js";
import { SelectionBar } from "./bulk/selection-bar.js";
import { FilterBar } from "./filter-bar.js";
import { Histogram } from "./histogram.js";
import { NoRuns } from "./no-runs.js";
import { RunTable } from "./run-table.js";
import { toQuery, type RunsSearch, type SearchChange } from "./search.js";
import { MOST_CHOSEN, useSelection } from "./selection.js";
import { useRunRows } from "./use-run-rows.js";

/** The list of runs: what is going on, what broke, since when. */
export function RunsPage() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const key = JSON.stringify(toQuery(search));
  const listed = useMemo(() => search, [key]); // what the histogram spans does not change the list
  const list = useRunRows(listed);
  const selection = useSelection();
  const { set: choose } = selection;
  useEffect(() => choose([]), [listed, choose]); // what is not in the list cannot be seen to be chosen
  const change = useCallback(
    (part: SearchChange) => void navigate({ search: (now) => withoutEmpty({ ...now, ...part }), replace: true }),
    [navigate],
  );
  const isEmpty = list.rows.length === 0 && !list.hasMore;
  return (
    <div className="runs">
      <h1 className="visually-hidden">Runs</h1>
      <FilterBar search={search} onChange={change} />
      <Histogram search={search} onChange={change} />
      {list.state === "loading" && <Loading label="Loading runs" lines={12} />}
      {list.state === "failed" && <Failure error={list.error} onRetry={list.retry} />}
      {list.state === "ready" && isEmpty && (
        <NoRuns isFiltered={key !== "{}"} onClear={() => void navigate({ search: {} })} />
      )}
      {list.state === "ready" && !isEmpty && <RunTable list={list} selection={selection} onFilter={change} />}
      <SelectionBar
        selection={selection}
        search={listed}
        rows={list.rows}
        hasMore={list.hasMore || list.rows.length > MOST_CHOSEN}
      />
    </div>
  );
}

function withoutEmpty(search: SearchChange): RunsSearch {
  const kept = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(kept);
}
