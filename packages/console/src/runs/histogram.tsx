/** Runs over time by status. The range filters the list, too. */
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { BarChart } from "./bar-chart.js";
import { ofStatuses, type Span } from "./histogram-bars.js";
import { ranges, statusesOf, type RunsSearch, type SearchChange } from "./search.js";
import { alignRange, type TimeRange } from "./time-range.js";
import { useHistogram } from "./use-histogram.js";

interface HistogramProps {
  readonly search: RunsSearch;
  readonly range: TimeRange;
  readonly onChange: (part: SearchChange) => void;
}

export function Histogram({ search, range: shown, onChange }: HistogramProps) {
  const { range = "24h", from, to } = search;
  const { data, isError } = useHistogram(search, shown);
  const isZoomed = from !== undefined || to !== undefined;
  return (
    <div className="histogram">
      <BarChart
        span={data?.span ?? null}
        bars={ofStatuses(data?.bars ?? [], statusesOf(search))}
        whenEmpty={isError ? "Could not load the chart" : data === undefined ? "" : `No runs ${rangeText(search)}`}
        onZoom={(span) => onChange(zoomTo(span))}
      />
      <div className="ranges">
        <div className="row" role="group" aria-label="Time range">
          {ranges.map((one) => (
            <Button
              key={one}
              variant="plain"
              size="small"
              aria-pressed={!isZoomed && one === range}
              onClick={() => onChange({ range: one, from: undefined, to: undefined })}
            >
              {one}
            </Button>
          ))}
        </div>
        {isZoomed ? (
          <Button variant="plain" size="small" onClick={() => onChange({ from: undefined, to: undefined })}>
            <Icon name="close" size={10} /> Zoom out
          </Button>
        ) : (
          <span className="hint">{data?.isComplete === false ? PARTIAL : "Drag across the chart to zoom"}</span>
        )}
      </div>
    </div>
  );
}

const PARTIAL = "Only the newest runs are counted";

function zoomTo(span: Span): SearchChange {
  const { from, to } = alignRange(span.from, span.to, Date.now());
  return { from: new Date(from).toISOString(), to: new Date(to!).toISOString() };
}

const RANGE_WORDS = {
  "1h": "in the last hour",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
  "30d": "in the last 30 days",
  "1y": "in the last year",
  all: "yet",
} as const;

export function rangeText({ range = "24h", from, to }: RunsSearch): string {
  return from === undefined && to === undefined ? RANGE_WORDS[range] : "in this time range";
}
