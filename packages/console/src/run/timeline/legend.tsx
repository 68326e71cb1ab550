const MARKS = [
  ["queued-band", "Run queued"],
  ["bar pause", "Step queued"],
  ["bar running", "Running"],
  ["bar done", "Succeeded"],
  ["bar failed earlier", "Earlier attempt"],
  ["bar failed", "Failed"],
  ["bar running waits", "Waiting"],
  ["landmark RunTakenOver", "Taken over"],
] as const;

export function Legend() {
  return (
    <div className="legend" aria-hidden="true">
      {MARKS.map(([mark, label]) => (
        <span key={label} className="row">
          <span className="swatch">
            <span className={mark} />
          </span>
          {label}
        </span>
      ))}
    </div>
  );
}
