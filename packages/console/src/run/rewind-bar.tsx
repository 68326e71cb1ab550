/** A slider over the events of a run. Dragging it shows the run as it was at that event. */
import { useEffect, useRef, useState } from "react";
import { useConnection } from "../api/connection.js";
import { Button } from "../ui/button.js";
import { count, exactTime } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import type { RunView } from "./model/view.js";

interface RewindBarProps {
  readonly view: RunView;
  /** `null` shows the latest state. */
  readonly seq: number | null;
  /** Called immediately while the user drags. */
  readonly onDrag: (seq: number | null) => void;
  /** Called when the slider has stopped, to store the position in the URL. */
  readonly onSettle: (seq: number | null) => void;
}

const SETTLE_MS = 250;

export function RewindBar({ view, seq, onDrag, onSettle }: RewindBarProps) {
  const { headSeq } = view;
  const [position, setPosition] = useState(seq);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setPosition(seq), [seq]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const go = (to: number): void => {
    const next = to >= headSeq ? null : Math.max(1, to);
    setPosition(next);
    onDrag(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSettle(next), SETTLE_MS);
  };
  const shown = position ?? headSeq;
  return (
    <footer className={`rewind ${position === null ? "" : "past"}`} aria-label="History">
      <Button variant="plain" size="small" aria-label="Go to first event" onClick={() => go(1)}>
        <Icon name="first" size={12} />
      </Button>
      <input
        type="range"
        aria-label="Sequence"
        aria-valuetext={`${shown} of ${headSeq}`}
        min={1}
        max={Math.max(headSeq, 1)}
        value={shown}
        onChange={({ target }) => go(Number(target.value))}
      />
      <Button variant="plain" size="small" aria-label="Go to latest event" onClick={() => go(headSeq)}>
        <Icon name="last" size={12} />
      </Button>
      <button
        type="button"
        className="visually-hidden"
        data-key="["
        aria-label="Previous event"
        onClick={() => go((position ?? headSeq) - 1)}
      />
      <button
        type="button"
        className="visually-hidden"
        data-key="]"
        aria-label="Next event"
        onClick={() => go((position ?? headSeq) + 1)}
      />
      <Moment view={view} shown={shown} isPast={position !== null} />
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
  const isDisconnected = useConnection() === "lost";
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
      <span className={isPast || isDisconnected ? "tone-wait" : "tone-good"}>
        {isPast ? "past state" : isDisconnected ? "last known state" : "latest"}
      </span>
    </output>
  );
}
