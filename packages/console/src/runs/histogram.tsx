/** Runs over time by status; dragging over it narrows the list to that time. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type PointerEvent } from "react";
import { client } from "../api/client.js";
import { counted } from "../ui/format.js";
import { runLook } from "../ui/status.js";
import { bucketFor, spanOf, toBars, type Bar, type Span } from "./histogram-bars.js";
import { ranges, runStatuses, type RunsSearch, type SearchChange } from "./search.js";

interface HistogramProps {
  readonly search: RunsSearch;
  readonly onChange: (part: SearchChange) => void;
}

export function Histogram({ search, onChange }: HistogramProps) {
  const { workflow, range = "24h" } = search;
  const { data } = useQuery({
    queryKey: ["run-histogram", workflow, range, search.from, search.to],
    queryFn: async () => {
      const span = spanOf(search, Date.now());
      const bucket = bucketFor(span);
      const iso = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
      const answer = await client.runHistogram({ ...iso, bucket, ...(workflow !== undefined && { workflow }) });
      return { span, bars: toBars(answer, span, bucket) };
    },
    refetchInterval: 5_000,
    placeholderData: (known) => known,
  });
  return (
    <div className="histogram">
      <Bars span={data?.span} bars={data?.bars ?? []} onChange={onChange} />
      <div className="row ranges" role="group" aria-label="Time span">
        {ranges.map((one) => (
          <button
            key={one}
            type="button"
            className="button plain small"
            aria-pressed={search.from === undefined && one === range}
            onClick={() => onChange({ range: one, from: undefined, to: undefined })}
          >
            {one}
          </button>
        ))}
      </div>
    </div>
  );
}

interface BarsProps {
  readonly span: Span | undefined;
  readonly bars: readonly Bar[];
  readonly onChange: (part: SearchChange) => void;
}

const HEIGHT = 48;

function Bars({ span, bars, onChange }: BarsProps) {
  const area = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const most = Math.max(1, ...bars.map(({ total }) => total));
  const place = ({ clientX }: PointerEvent): number => {
    const { left, width } = area.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const finish = (): void => {
    setDrag(null);
    if (drag === null || span === undefined || Math.abs(drag.to - drag.from) < 0.01) return;
    const [one, other] = [drag.from, drag.to].sort((a, b) => a - b);
    const at = (share: number): string => new Date(span.from + share * (span.to - span.from)).toISOString();
    onChange({ from: at(one!), to: at(other!) });
  };
  return (
    <svg
      ref={area}
      className="bars"
      height={HEIGHT}
      role="img"
      aria-label={summary(bars)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: place(event), to: place(event) });
      }}
      onPointerMove={(event) => drag !== null && setDrag({ ...drag, to: place(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {bars.map((bar) => (
        <BarColumn key={bar.at} bar={bar} most={most} />
      ))}
      {drag !== null && (
        <rect
          className="brush"
          x={`${Math.min(drag.from, drag.to) * 100}%`}
          width={`${Math.abs(drag.to - drag.from) * 100}%`}
          height={HEIGHT}
        />
      )}
    </svg>
  );
}

function BarColumn({ bar, most }: { readonly bar: Bar; readonly most: number }) {
  const { parts, total, left, width, at } = bar;
  let top = HEIGHT;
  return (
    <g>
      <title>{`${new Date(at).toLocaleString("en-GB")}: ${counted(total, "run")}`}</title>
      <rect x={`${left * 100}%`} width={`${width * 100}%`} height={HEIGHT} fill="transparent" />
      {parts.map(({ status, count }) => {
        const height = Math.max(1, (count / most) * (HEIGHT - 2));
        top -= height;
        return (
          <rect
            key={status}
            className={`fill-${runLook(status).tone}`}
            x={`${(left + width * 0.08) * 100}%`}
            width={`${width * 84}%`}
            y={top}
            height={height}
          />
        );
      })}
    </g>
  );
}

function summary(bars: readonly Bar[]): string {
  const totals = runStatuses.map((status) => {
    const sum = bars
      .flatMap(({ parts }) => parts)
      .reduce((all, part) => all + (part.status === status ? part.count : 0), 0);
    return sum === 0 ? null : `${sum} ${runLook(status).word.toLowerCase()}`;
  });
  const said = totals.filter((one) => one !== null);
  return `Runs over time: ${said.length === 0 ? "none" : said.join(", ")}`;
}
