import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../api/client.js";
import { Glyph } from "../ui/glyph.js";
import type { SearchChange } from "./search.js";

/** One field for what people type: `workflow:…`, `label:…`, the id of a run, or words of an error. */
export function SearchBox({ onChange }: { readonly onChange: (part: SearchChange) => void }) {
  const [text, setText] = useState("");
  const [isUsed, setUsed] = useState(false);
  const navigate = useNavigate();
  const suggestions = useId();
  const search = async (typed: string): Promise<void> => {
    const filter = readFilter(typed);
    if (filter !== null) onChange(filter);
    else if (await isRun(typed)) await navigate({ to: "/runs/$runId", params: { runId: typed }, search: {} });
    else onChange({ error: typed });
  };
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        void search(text.trim());
        setText("");
      }}
    >
      <Glyph name="search" />
      <input
        className="field"
        type="search"
        data-key="/"
        aria-label="Find runs"
        placeholder="workflow:name, label:key:value, run id, or error text"
        list={suggestions}
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => setText(event.target.value)}
      />
      {isUsed && <Suggestions id={suggestions} />}
    </form>
  );
}

function Suggestions({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ["workflow-names"],
    queryFn: async () => (await client.listWorkflows({ limit: 100 })).items.map(({ workflowId }) => workflowId),
    staleTime: 60_000,
  });
  return (
    <datalist id={id}>
      {data?.map((workflowId) => (
        <option key={workflowId} value={`workflow:${workflowId}`} />
      ))}
      {Object.keys(PREFIXES).map((prefix) => (
        <option key={prefix} value={`${prefix}:`} />
      ))}
    </datalist>
  );
}

const PREFIXES = {
  workflow: "workflow",
  version: "version",
  label: "labels",
  project: "project",
  environment: "environment",
  schedule: "schedule",
  parent: "parent",
  error: "error",
} as const;

function readFilter(text: string): SearchChange | null {
  const [, prefix = "", rest = ""] = /^(\w+):(.+)$/.exec(text) ?? [];
  const name = Object.entries(PREFIXES).find(([one]) => one === prefix)?.[1];
  return name === undefined ? null : { [name]: rest.trim() };
}

/** Whoever pastes an id wants to see that run. What looks like none is not asked for. */
async function isRun(text: string): Promise<boolean> {
  if (!/^run[_-]\S+$|^[^\s|]{16,}$/.test(text)) return false;
  return client.getRun(text).then(
    () => true,
    () => false,
  );
}
