import { RunInput } from "../run/inspector/run-data.js";

export function InputDiff({ a, b }: { readonly a: string; readonly b: string }) {
  return (
    <div className="compare-runs">
      {[a, b].map((runId, index) => (
        <div key={runId} className="panel compare-input">
          <h3>Input of {index === 0 ? "A" : "B"}</h3>
          <RunInput runId={runId} />
        </div>
      ))}
    </div>
  );
}
