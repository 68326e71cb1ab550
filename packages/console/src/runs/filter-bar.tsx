import { Button } from "../ui/button.js";
import { count } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { runLook } from "../ui/status.js";
import { FilterChip } from "./filter-chip.js";
import { SearchBox } from "./search-box.js";
import { runStatuses, statusesOf, type RunsSearch, type SearchChange, type RunStatus } from "./search.js";
import type { TimeRange } from "./time-range.js";
import { useHistogram } from "./use-histogram.js";

interface FilterBarProps {
  readonly search: RunsSearch;
  readonly range: TimeRange;
  readonly onChange: (part: SearchChange) => void;
}

export function FilterBar({ search, range, onChange }: FilterBarProps) {
  const chosen = statusesOf(search);
  const { data } = useHistogram(search, range);
  const toggle = (status: RunStatus): void => {
    const next = runStatuses.filter((one) => (one === status) !== chosen.includes(one));
    onChange({ status: next.join(",") });
  };
  return (
    <div className="filters">
      <div className="row statuses" role="group" aria-label="Filter by status">
        {runStatuses.map((status) => (
          <button
            key={status}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(status)}
            onClick={() => toggle(status)}
          >
            <span className={`tone-${runLook(status).tone}`}>
              <Icon name={runLook(status).icon} />
            </span>
            {runLook(status).word}
            <span className="count">
              {data === undefined ? "–" : `${count(data.counts[status])}${data.isComplete ? "" : "+"}`}
            </span>
          </button>
        ))}
      </div>
      <SearchBox onChange={onChange} />
      {FILTERS.map(({ name, label }) => {
        const value = search[name];
        if (value === undefined) return null;
        return <FilterChip key={name} label={label} value={value} onRemove={() => onChange({ [name]: undefined })} />;
      })}
      {(search.from !== undefined || search.to !== undefined) && (
        <FilterChip
          label="created"
          value={span(search)}
          onRemove={() => onChange({ from: undefined, to: undefined })}
        />
      )}
      {Object.keys(search).some((name) => name !== "range") && (
        <Button
          variant="plain"
          size="small"
          onClick={() => onChange(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
        >
          <Icon name="close" size={12} /> Clear
        </Button>
      )}
    </div>
  );
}

const FILTERS = [
  { name: "workflow", label: "workflow" },
  { name: "version", label: "version" },
  { name: "project", label: "project" },
  { name: "environment", label: "environment" },
  { name: "error", label: "error" },
  { name: "labels", label: "label" },
  { name: "parent", label: "child of" },
  { name: "schedule", label: "schedule" },
] as const;

function span({ from, to }: RunsSearch): string {
  const format = (at: string | undefined): string =>
    at === undefined ? "…" : new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  return `${format(from)} – ${format(to)}`;
}
