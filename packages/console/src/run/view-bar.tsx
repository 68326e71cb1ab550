import { count } from "../ui/format.js";
import { StepFilter } from "./timeline/step-filter.js";
import type { RunView } from "./model/view.js";
import { views, type RunSearch, type RunSearchChange, type ViewName } from "./search.js";

interface ViewBarProps {
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

const KEYS: Readonly<Record<ViewName, string>> = { timeline: "t", graph: "g", events: "e" };
const TITLES: Readonly<Record<ViewName, string>> = { timeline: "Timeline", graph: "Graph", events: "Events" };

const OMITTED = {
  steps: "only the last attempt of each step is shown",
  outline: "steps inside containers are summarized",
} as const;

export function ViewBar({ view, search, onChange }: ViewBarProps) {
  const { view: name = "timeline" } = search;
  return (
    <div className="view-bar">
      <div className="tabs" role="tablist" aria-label="Views">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            className="tab"
            aria-selected={one === name}
            data-key={KEYS[one]}
            onClick={() => onChange({ view: one === "timeline" ? undefined : one })}
          >
            {TITLES[one]}
            {one === "events" && <span className="quiet"> {count(view.headSeq)}</span>}
          </button>
        ))}
      </div>
      {view.extent !== "whole" && (
        <span className="quiet cut" title="Past states are loaded on demand">
          Long run: {OMITTED[view.extent]}
        </span>
      )}
      {view.extent === "whole" && view.loaded.events < view.headSeq && (
        <span className="quiet" role="status">
          {count(view.loaded.events)} of {count(view.headSeq)} events loaded
        </span>
      )}
      {name === "timeline" && view.extent !== "outline" && <StepFilter search={search} onChange={onChange} />}
    </div>
  );
}
