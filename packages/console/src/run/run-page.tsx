import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { usePlan } from "../api/use-plan.js";
import { Failure, Loading } from "../ui/states.js";
import { EventList } from "./event-list.js";
import { Inspector } from "./inspector/inspector.js";
import type { Look, ViewStatus } from "./model/view.js";
import { RewindBar } from "./rewind-bar.js";
import { RunHeaderBar } from "./run-header-bar.js";
import { listOf, zoomOf, type RunSearchChange } from "./search.js";
import { Timeline } from "./timeline/timeline.js";
import { useRunModel } from "./use-run-model.js";
import { ViewBar } from "./view-bar.js";

/** Drawing graphs takes a library that most readers do not need. */
const RunGraph = lazy(() => import("./graph/run-graph.js").then(({ RunGraph: graph }) => ({ default: graph })));

/** One run: what happened, what is going on, and what can be done about it. */
export function RunPage() {
  const { runId } = useParams({ from: "/runs/$runId" });
  const search = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const change = useCallback(
    (part: RunSearchChange) =>
      void navigate({
        search: (now) =>
          Object.fromEntries(
            Object.entries({ ...now, ...part }).filter(([, value]) => value !== undefined && value !== ""),
          ),
        replace: true,
      }),
    [navigate],
  );
  const known = usePlan(runId);
  const [window, setWindow] = useState({ from: 0, to: 60 });
  const { open, find, only, zoom } = search;
  const [seq, setSeq] = useState(search.seq ?? null);
  useEffect(() => setSeq(search.seq ?? null), [search.seq]);
  const look = useMemo<Look>(
    () => ({
      seq,
      open: listOf(open),
      find: find ?? "",
      zoom: zoomOf(zoom),
      statuses: listOf(only) as ViewStatus[],
      ...window,
    }),
    [seq, open, find, only, zoom, window],
  );
  const { view, error } = useRunModel(runId, known?.plan ?? null, look);
  if (view === null) return error === null ? <Loading label="Loading the run" lines={10} /> : <Failure error={error} />;
  const name = search.view ?? "timeline";
  return (
    <div className="run">
      <RunHeaderBar runId={runId} view={view} />
      <ViewBar view={view} search={search} onChange={change} />
      <div className="run-body-grid">
        <section className="run-view" aria-label={name}>
          {name === "timeline" && <Timeline view={view} search={search} onChange={change} onWindow={setWindow} />}
          {name === "graph" && (
            <Suspense fallback={<Loading label="Loading the graph" />}>
              <RunGraph runId={runId} view={view} search={search} onChange={change} />
            </Suspense>
          )}
          {name === "events" && <EventList runId={runId} view={view} search={search} onChange={change} />}
        </section>
        <Inspector runId={runId} view={view} search={search} onChange={change} />
      </div>
      <RewindBar view={view} seq={seq} onDrag={setSeq} onRest={(rested) => change({ seq: rested ?? undefined })} />
    </div>
  );
}
