import type { RunView } from "../model/view.js";

/** Where in time the run is shown, when that is not now. */
export function MomentLine({ time: { from, to, now } }: { readonly time: RunView["time"] }) {
  return (
    <div className="moment-layer" aria-hidden="true">
      <span className="moment-line" style={{ left: `${((now - from) / (to - from)) * 100}%` }} />
    </div>
  );
}
