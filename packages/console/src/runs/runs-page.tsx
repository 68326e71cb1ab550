import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { Failure, Loading } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { SelectionBar } from "./bulk/selection-bar.js";
import { FilterBar } from "./filter-bar.js";
import { Histogram } from "./histogram.js";
import { keepList, keptList, setLastRunsSearch } from "./kept-lists.js";
import { NoRuns } from "./no-runs.js";
import { OlderRuns } from "./older-runs.js";
import { RunTable } from "./run-table.js";
import { statusesOf, toQuery, type RunsSearch, type SearchChange } from "./search.js";
import { MAX_SELECTED, useSelection } from "./selection.js";
import { useRunRows } from "./use-run-rows.js";
import { useTimeRange } from "./use-time-range.js";

export function RunsPage() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const entry = useLocation({ select: ({ state: { __TSR_key: key = "" } }) => key });
  const kept = useRef(keptList(entry)).current; // the list as it was, if the user came back to it
  const isReading = useRef(false);
  const range = useTimeRange(search, kept?.range, isReading);
  const key = JSON.stringify(toQuery(search, range));
  const query = useMemo(() => toQuery(search, range), [key]);
  const list = useRunRows(query, kept, isReading);
  const scrollTop = useRef(kept?.scrollTop ?? 0);
  const { snapshot } = list;
  useEffect(
    () => () => {
      const last = snapshot();
      if (last !== null) keepList(entry, { ...last, range, scrollTop: scrollTop.current });
    },
    [entry, range, snapshot],
  );
  useEffect(() => setLastRunsSearch(search), [search]);
  useTitle(["Runs", search.workflow, statusesOf(search).join(", ").toLowerCase()].filter(Boolean).join(" "));
  const selection = useSelection();
  const { set: select } = selection;
  useEffect(() => select([]), [query, select]); // a new list starts without a selection
  const change = useCallback(
    (part: SearchChange) => void navigate({ search: (now) => withoutEmpty({ ...now, ...part }), replace: true }),
    [navigate],
  );
  const isEmpty = list.rows.length === 0 && !list.hasMore;
  const showAll = (): void => change({ range: "all", from: undefined, to: undefined });
  return (
    <div className="runs">
      <h1 className="visually-hidden">Runs</h1>
      <FilterBar search={search} range={range} onChange={change} />
      <Histogram search={search} range={range} onChange={change} />
      {list.state === "loading" && <Loading label="Loading runs" lines={12} />}
      {list.state === "failed" && <Failure error={list.error} onRetry={list.retry} />}
      {list.state === "ready" && isEmpty && (
        <NoRuns search={search} onClear={() => void navigate({ search: {} })} onAll={showAll} />
      )}
      {list.state === "ready" && !isEmpty && (
        <RunTable list={list} selection={selection} scrollTop={scrollTop} onFilter={change} />
      )}
      <OlderRuns search={search} range={range} onAll={showAll} />
      <SelectionBar
        selection={selection}
        query={query}
        rows={list.rows}
        hasMore={list.hasMore || list.rows.length > MAX_SELECTED}
      />
    </div>
  );
}

function withoutEmpty(search: SearchChange): RunsSearch {
  const kept = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(kept);
}
