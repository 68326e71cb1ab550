/** The run's course as a slider: dragging it shows the run as it was known at that event. */
import { useEffect, useRef, useState } from "react";
import { useConnection } from "../app/connection.js";
import { count, exactTime } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";
import type { RunView } from "./model/view.js";

interface RewindBarProps {
  readonly view: RunView;
  /** Null = as it is now. */
  readonly seq: number | null;
  /** At once, while it is dragged. */
  readonly onDrag: (seq: number | null) => void;
  /** When it has come to rest: the address says so. */
  readonly onRest: (seq: number | null) => void;
}

const REST_MS = 250;

export function RewindBar({ view, seq, onDrag, onRest }: RewindBarProps) {
  const { headSeq } = view;
  const [place, setPlace] = useState(seq);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setPlace(seq), [seq]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const go = (to: number): void => {
    const next = to >= headSeq ? null : Math.max(1, to);
    setPlace(next);
    onDrag(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onRest(next), REST_MS);
  };
  const shown = place ?? headSeq;
  return (
    <footer className={`rewind ${place === null ? "" : "past"}`} aria-label="Rewind">
      <button type="button" className="button plain small" aria-label="To the first event" onClick={() => go(1)}>
        <Glyph name="first" size={12} />
      </button>
      <input
        type="range"
        aria-label="Sequence"
        aria-valuetext={`${shown} of ${headSeq}`}
        min={1}
        max={Math.max(headSeq, 1)}
        value={shown}
        onChange={({ target }) => go(Number(target.value))}
      />
      <button type="button" className="button plain small" aria-label="To now" onClick={() => go(headSeq)}>
        <Glyph name="last" size={12} />
      </button>
      <button
        type="button"
        className="visually-hidden"
        data-key="["
        aria-label="One event back"
        onClick={() => go((place ?? headSeq) - 1)}
      />
      <button
        type="button"
        className="visually-hidden"
        data-key="]"
        aria-label="One event on"
        onClick={() => go((place ?? headSeq) + 1)}
      />
      <Moment view={view} shown={shown} isPast={place !== null} />
    </footer>
  );
}

function Moment({
  view: { headSeq, at },
  shown,
  isPast,
}: {
  readonly view: RunView;
  readonly shown: number;
  readonly isPast: boolean;
}) {
  const isCutOff = useConnection() === "lost";
  return (
    <output className="moment">
      <b>
        seq {count(shown)}
        <span className="quiet"> / {count(headSeq)}</span>
      </b>
      {at !== null && (
        <>
          <span className="mono">{exactTime(at.time)}</span>
          <span>{at.type}</span>
          {at.stepId !== null && <span className="cut quiet">{at.stepId}</span>}
        </>
      )}
      <span className={isPast || isCutOff ? "tone-wait" : "tone-good"}>
        {isPast ? "as it was known then" : isCutOff ? "as it was last known" : "now"}
      </span>
    </output>
  );
}
