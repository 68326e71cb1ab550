/** What the marks mean. */
const MARKS = [
  ["bar pause", "queued"],
  ["bar running", "under way"],
  ["bar done", "succeeded"],
  ["bar failed earlier", "earlier try"],
  ["bar failed", "failed"],
  ["bar running waits", "waits"],
  ["landmark RunTakenOver", "taken over by another worker"],
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
