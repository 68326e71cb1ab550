import { useEffect, useRef, useState } from "react";
import { Icon } from "../../ui/icon.js";
import { Status } from "../../ui/status.js";
import { listOf, type RunSearch, type RunSearchChange } from "../search.js";

interface StepFilterProps {
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

const STATUSES = ["FAILED", "RUNNING", "WAITING"] as const;
const WORDS = { FAILED: "Failed", RUNNING: "Running", WAITING: "Waiting" } as const;

/** Filters the timeline by step id and status, also inside closed containers. */
export function StepFilter({ search, onChange }: StepFilterProps) {
  const [text, setText] = useState(search.find ?? "");
  const only = listOf(search.only);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div className="row step-filter">
      {STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          className="chip"
          aria-pressed={only.includes(status)}
          onClick={() => {
            const next = only.includes(status) ? only.filter((one) => one !== status) : [...only, status];
            onChange({ only: next.join(",") });
          }}
        >
          <Status of="step" status={status} iconOnly />
          {WORDS[status]}
        </button>
      ))}
      <div className="search">
        <Icon name="search" />
        <input
          className="field"
          type="search"
          aria-label="Find step"
          placeholder="Find step"
          data-key="/"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => onChange({ find: target.value }), 150);
          }}
        />
      </div>
    </div>
  );
}
