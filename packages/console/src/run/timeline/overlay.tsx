/** Marks that span all rows: idle time, the time in the queue, take-overs, and the event that the rewind bar shows. */
import { shareOf } from "../model/time-scale.js";
import type { RunView } from "../model/view.js";
import { percent } from "./time-axis.js";

export function Overlay({ view: { time, whole, header, landmarks, seq, headSeq } }: { readonly view: RunView }) {
  const left = (at: number): string => `${Math.max(0, Math.min(1, shareOf(at, time))) * 100}%`;
  const { startedAt } = header;
  const takeOvers = landmarks.filter(({ type, at }) => type === "RunTakenOver" && at >= time.from && at <= time.to);
  const queuedTo = startedAt === undefined ? time.now : Date.parse(startedAt);
  const queued = shareOf(queuedTo, time) - Math.max(0, shareOf(whole.from, time));
  return (
    <div className="moment-layer" aria-hidden="true">
      <div>
        {time.parts.map(({ from, left: start, right, isShortened }) =>
          isShortened ? <span key={from} className="idle-band" style={percent(start, right)} /> : null,
        )}
        {queued > 0 && <span className="queued-band" style={{ left: left(whole.from), width: `${queued * 100}%` }} />}
        {takeOvers.slice(-50).map((one) => (
          <span key={one.seq} className="takeover-line" style={{ left: left(one.at) }} />
        ))}
        {seq < headSeq && <span className="moment-line" style={{ left: left(time.now) }} />}
      </div>
    </div>
  );
}
