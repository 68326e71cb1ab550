import { JsonView } from "../ui/json-view.js";

/** What both began with. */
export function InputDiff({ a, b }: { readonly a: unknown; readonly b: unknown }) {
  if (JSON.stringify(a) === JSON.stringify(b)) return <p className="quiet compare-note">Both had the same input.</p>;
  return (
    <div className="compare-runs">
      {[a, b].map((input, index) => (
        <div key={index} className="panel compare-input">
          <h3>Input of {index === 0 ? "A" : "B"}</h3>
          <JsonView value={input} whenAbsent="none" />
        </div>
      ))}
    </div>
  );
}
