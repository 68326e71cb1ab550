/** Runs over time by status; dragging over it narrows the list to that time. */
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { Glyph } from "../ui/glyph.js";
import { BarChart } from "./bar-chart.js";
import { bucketFor, ofStatuses, spanOf, toBars } from "./histogram-bars.js";
import { countedBy, ranges, statusesOf, type RunsSearch, type SearchChange } from "./search.js";

interface HistogramProps {
  readonly search: RunsSearch;
  readonly onChange: (part: SearchChange) => void;
}

export function Histogram({ search, onChange }: HistogramProps) {
  const { range = "24h", from, to } = search;
  const counted = countedBy(search);
  const { data, isError } = useQuery({
    queryKey: ["run-histogram", counted, range, from, to],
    queryFn: async () => {
      const span = spanOf(search, Date.now());
      const bucket = bucketFor(span);
      const iso = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
      const answer = await client.runHistogram({ ...iso, bucket, ...counted });
      return { span, bars: toBars(answer, span, bucket) };
    },
    refetchInterval: 5_000,
    placeholderData: (known) => known,
  });
  const isZoomed = from !== undefined || to !== undefined;
  return (
    <div className="histogram">
      <BarChart
        span={data?.span ?? null}
        bars={ofStatuses(data?.bars ?? [], statusesOf(search))}
        whenEmpty={isError ? "The chart could not be read" : data === undefined ? "" : `No runs ${inWords(search)}`}
        onZoom={(span) => onChange({ from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() })}
      />
      <div className="ranges">
        <div className="row" role="group" aria-label="Time span">
          {ranges.map((one) => (
            <button
              key={one}
              type="button"
              className="button plain small"
              aria-pressed={!isZoomed && one === range}
              onClick={() => onChange({ range: one, from: undefined, to: undefined })}
            >
              {one}
            </button>
          ))}
        </div>
        {isZoomed ? (
          <button
            type="button"
            className="button plain small"
            onClick={() => onChange({ from: undefined, to: undefined })}
          >
            <Glyph name="close" size={10} /> Zoom out
          </button>
        ) : (
          <span className="hint">{hint(search)}</span>
        )}
      </div>
    </div>
  );
}

/** The counters know less than the list: say what they leave out. */
function hint({ version, error, labels, parent, schedule }: RunsSearch): string {
  const ignored = Object.entries({ version, error, label: labels, parent, schedule }).find(
    ([, value]) => value !== undefined,
  );
  return ignored === undefined ? "Drag over the bars to zoom" : `The bars ignore the ${ignored[0]} filter`;
}

const RANGE_WORDS = {
  "1h": "in the last hour",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
  "30d": "in the last 30 days",
  "1y": "in the last year",
} as const;

function inWords({ range = "24h", from, to }: RunsSearch): string {
  return from === undefined && to === undefined ? RANGE_WORDS[range] : "in this time";
}
