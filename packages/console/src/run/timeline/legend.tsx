/** What the marks mean. */
const MARKS = [
  ["queued-band", "run queued"],
  ["bar pause", "step queued"],
  ["bar running", "under way"],
  ["bar done", "succeeded"],
  ["bar failed earlier", "earlier try"],
  ["bar failed", "failed"],
  ["bar running waits", "waits"],
  ["landmark RunTakenOver", "taken over"],
] as const;

export function Legend() {
  return (
    <div className="legend" aria-hidden="true">
      {MARKS.map(([mark, means]) => (
        <span key={means} className="row">
          <span className="swatch">
            <span className={mark} />
          </span>
          {means}
        </span>
      ))}
    </div>
  );
}
