import { useState } from "react";

interface StartFieldProps {
  readonly label: string;
  /** Receives `beginning`, `now` or a time. An incomplete time is an empty text. */
  readonly onChange: (from: string) => void;
  readonly initial: "beginning" | "now";
}

/** Selects the first event that a subscription delivers. */
export function StartField({ label, onChange, initial }: StartFieldProps) {
  const [kind, setKind] = useState<string>(initial);
  const choose = (next: string): void => {
    setKind(next);
    onChange(next === "time" ? "" : next);
  };
  return (
    <div className="start-field">
      <label className="labelled">
        <span>{label}</span>
        <select className="field" value={kind} onChange={({ target }) => choose(target.value)}>
          <option value="now">Now: events that follow</option>
          <option value="beginning">Beginning: all recorded events</option>
          <option value="time">A time</option>
        </select>
      </label>
      {kind === "time" && (
        <label className="labelled">
          <span>Time, in your time zone</span>
          <input
            className="field"
            type="datetime-local"
            required
            onChange={({ target }) => onChange(target.value === "" ? "" : new Date(target.value).toISOString())}
          />
        </label>
      )}
    </div>
  );
}
