import type { Step } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { duration } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";
import { Status } from "../ui/status.js";
import { lengthOf, type Pair } from "./align.js";

interface CompareTableProps {
  readonly pairs: readonly Pair[];
  readonly a: string;
  readonly b: string;
}

const ROW_HEIGHT = 30;

export function CompareTable({ pairs, a, b }: CompareTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const first = pairs.findIndex(({ difference }) => difference !== null);
  const most = Math.max(1, ...pairs.flatMap((pair) => [lengthOf(pair.a) ?? 0, lengthOf(pair.b) ?? 0]));
  const virtual = useVirtualizer({
    count: pairs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  return (
    <div className="panel compare-table">
      <div className="panel-head">
        <h2>Steps</h2>
        {first === -1 ? (
          <span className="quiet">The outcomes are the same.</span>
        ) : (
          <button
            type="button"
            className="button small"
            onClick={() => virtual.scrollToIndex(first, { align: "center" })}
          >
            First difference: {pairs[first]!.stepId}
          </button>
        )}
      </div>
      <div className="compare-scroll" ref={scroller} tabIndex={0} role="group" aria-label="Steps of both runs">
        <div className="compare-body" role="list" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const pair = pairs[index]!;
            return (
              <div
                key={pair.stepId}
                role="listitem"
                className={`compare-row ${pair.difference === null ? "" : "differs"} ${index === first ? "first" : ""}`}
                data-step={pair.stepId}
                style={{ translate: `0 ${start}px` }}
              >
                <span className="cut" title={pair.stepId}>
                  {pair.stepId}
                </span>
                <Side step={pair.a} runId={a} most={most} />
                <Side step={pair.b} runId={b} most={most} />
                <span className="compare-note">
                  {index === first && <Glyph name="right" size={12} />}
                  {pair.difference ?? change(pair)}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Side({ step, runId, most }: { readonly step: Step | null; readonly runId: string; readonly most: number }) {
  if (step === null) return <span className="quiet">–</span>;
  const ms = lengthOf(step);
  return (
    <Link className="side" to="/runs/$runId" params={{ runId }} search={{ step: step.stepId }}>
      <Status of="step" status={step.status} iconOnly />
      <span className="number">{ms === null ? "" : duration(ms)}</span>
      <span className="gauge">{ms !== null && <span style={{ width: `${(ms / most) * 100}%` }} />}</span>
    </Link>
  );
}

/** Worth saying from a fifth on. */
function change({ a, b }: Pair): string {
  const [before, after] = [lengthOf(a), lengthOf(b)];
  if (before === null || after === null || before === 0) return "";
  const share = after / before - 1;
  if (Math.abs(share) < 0.2 || Math.abs(after - before) < 10) return "";
  return share > 0 ? `${Math.round(share * 100)}% slower` : `${Math.round(-share * 100)}% faster`;
}
