import { useState } from "react";
import { Glyph } from "../ui/glyph.js";
import type { RunsSearch, SearchChange } from "./search.js";

interface SearchBoxProps {
  readonly search: RunsSearch;
  readonly onChange: (part: SearchChange) => void;
}

/** One field for what people type: `workflow:…`, `label:…`, `version:…`, `run_…`, or words of an error. */
export function SearchBox({ onChange }: SearchBoxProps) {
  const [text, setText] = useState("");
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        onChange(readTyped(text.trim()));
        setText("");
      }}
    >
      <Glyph name="search" />
      <input
        className="field"
        type="search"
        data-key="/"
        aria-label="Find runs"
        placeholder="workflow:name, label:key:value, or words of an error"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

const PREFIXES = {
  workflow: "workflow",
  version: "version",
  label: "labels",
  schedule: "schedule",
  parent: "parent",
} as const;

function readTyped(text: string): SearchChange {
  const [, prefix = "", rest = ""] = /^(\w+):(.+)$/.exec(text) ?? [];
  const name = Object.entries(PREFIXES).find(([one]) => one === prefix)?.[1];
  return name === undefined ? { error: text } : { [name]: rest };
}
