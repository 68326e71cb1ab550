import { duration } from "../../ui/format.js";
import type { Landmark, RunView } from "../model/view.js";
import { ticksFor } from "./ticks.js";

interface TimeAxisProps {
  readonly time: RunView["time"];
  readonly landmarks: readonly Landmark[];
}

export function TimeAxis({ time, landmarks }: TimeAxisProps) {
  const length = time.to - time.from;
  return (
    <div className="time-axis" aria-hidden="true">
      <div />
      <div className="axis-track">
        {ticksFor(length).map((at) => (
          <span key={at} className="tick" style={{ left: `${(at / length) * 100}%` }}>
            {duration(at)}
          </span>
        ))}
        {landmarks.slice(-100).map(({ seq, at, note, type }) => (
          <span
            key={seq}
            className={`landmark ${type}`}
            title={`seq ${seq}: ${note}`}
            style={{ left: `${((at - time.from) / length) * 100}%` }}
          />
        ))}
      </div>
    </div>
  );
}
