import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../api/client.js";
import { Icon } from "../ui/icon.js";
import { toast } from "../ui/toasts.js";
import { findRunIds } from "./find-run.js";
import { PREFIXES, readTerms, workflowNamed } from "./search-terms.js";
import type { SearchChange } from "./search.js";

/** Accepts filters such as `label:…`, statuses, names of workflows, a run id or its last characters, and text of an error. */
export function SearchBox({ onChange }: { readonly onChange: (part: SearchChange) => void }) {
  const [text, setText] = useState("");
  const [isUsed, setUsed] = useState(false);
  const navigate = useNavigate();
  const suggestions = useId();
  const search = async (typed: string): Promise<void> => {
    const found = await meaningOf(typed);
    if ("runId" in found) await navigate({ to: "/runs/$runId", params: found, search: {} });
    else onChange(found.filters);
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
      <Icon name="search" />
      <input
        className="field"
        type="search"
        data-key="/"
        aria-label="Search runs"
        placeholder="workflow, run id, label:key:value, or error text"
        list={suggestions}
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => setText(event.target.value)}
      />
      {isUsed && <Suggestions id={suggestions} />}
    </form>
  );
}

type Meaning = { readonly runId: string } | { readonly filters: SearchChange };

async function meaningOf(typed: string): Promise<Meaning> {
  const { filters, words } = readTerms(typed);
  const names = words.length === 0 ? [] : await workflowNames.queryFn().catch(() => []);
  const workflow = words.map((word) => workflowNamed(word, names)).find((name) => name !== undefined);
  const rest = words.filter((word) => workflow === undefined || workflowNamed(word, names) !== workflow);
  const ids = typed === rest[0] ? await findRunIds(typed).catch(() => []) : [];
  if (ids.length === 1) return { runId: ids[0]! };
  if (ids.length > 1) toast(`${typed} matches ${ids.length} runs. Type more characters.`);
  const error = [filters.error, ...rest].filter((part) => part !== undefined).join(" ");
  return { filters: { ...filters, ...(workflow !== undefined && { workflow }), ...(error !== "" && { error }) } };
}

const workflowNames = {
  queryKey: ["workflow-names"],
  queryFn: async () => (await client.listWorkflows({ limit: 100 })).items.map(({ workflowId }) => workflowId),
  staleTime: 60_000,
};

function Suggestions({ id }: { readonly id: string }) {
  const { data } = useQuery(workflowNames);
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
