import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import { usePlan } from "../api/use-plan.js";
import { shortId } from "../ui/format.js";
import { lazyView } from "../ui/lazy-view.js";
import { Failure, Loading } from "../ui/states.js";
import { runLook } from "../ui/status.js";
import { useTitle } from "../ui/title.js";
import { EventList } from "./event-list.js";
import { Inspector } from "./inspector/inspector.js";
import type { RunView, ViewQuery, ViewStatus } from "./model/view.js";
import { RewindBar } from "./rewind-bar.js";
import { RunHeaderBar } from "./run-header-bar.js";
import { listOf, zoomOf, type RunSearchChange } from "./search.js";
import { Timeline } from "./timeline/timeline.js";
import { useRunModel } from "./use-run-model.js";
import { useOpening } from "./use-opening.js";
import { ViewBar } from "./view-bar.js";

/** Loaded on demand, because it needs a graph library that the other views do not. */
const RunGraph = lazyView(() => import("./graph/run-graph.js").then((module) => module.RunGraph));

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
  const name = search.view ?? "timeline";
  const [window, setWindow] = useState({ from: 0, to: 60 });
  const { open, find, only, zoom, frames } = search;
  const [seq, setSeq] = useState(search.seq ?? null);
  useEffect(() => setSeq(search.seq ?? null), [search.seq]);
  const query = useMemo<ViewQuery>(
    () => ({
      seq,
      open: listOf(open),
      find: find ?? "",
      zoom: zoomOf(zoom),
      statuses: listOf(only) as ViewStatus[],
      step: search.step ?? null,
      frames: name !== "graph" ? [] : frames === undefined ? null : listOf(frames),
      ...window,
    }),
    [seq, open, find, only, zoom, frames, name, window, search.step],
  );
  const { view, error, retry } = useRunModel(runId, known?.plan ?? null, query);
  useOpening(runId, view, search, change);
  useTitle(view === null ? null : titleOf(view));
  if (view === null)
    return error === null ? <Loading label="Loading run" lines={10} /> : <Failure error={error} onRetry={retry} />;
  return (
    <div className="run">
      <RunHeaderBar runId={runId} view={view} />
      <ViewBar view={view} search={search} onChange={change} />
      <div className="run-body-grid">
        <section className="run-view" aria-label={name}>
          {name === "timeline" && <Timeline view={view} search={search} onChange={change} onWindow={setWindow} />}
          {name === "graph" && <RunGraph runId={runId} view={view} search={search} onChange={change} />}
          {name === "events" && <EventList runId={runId} view={view} search={search} onChange={change} />}
        </section>
        <Inspector runId={runId} view={view} search={search} onChange={change} />
      </div>
      <RewindBar view={view} seq={seq} onDrag={setSeq} onSettle={(settled) => change({ seq: settled ?? undefined })} />
    </div>
  );
}

/** `Failed: nightly-orders 5c1f09ab` */
function titleOf({ header: { status, planId, runId } }: RunView): string {
  return `${runLook(status).word}: ${planId ?? "run"} ${shortId(runId)}`;
}
