/** Payloads of the run. They are loaded from the server, because the events that the page folds have none. */
import type { Run } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { JsonView } from "../../ui/json-view.js";
import { Failure, Loading } from "../../ui/states.js";
import { ArtifactList } from "./artifact-list.js";
import { StoredOutput } from "./stored-output.js";

export function RunInput({ runId }: { readonly runId: string }) {
  const query = useQuery({
    queryKey: ["first-event", runId],
    queryFn: () => client.listEvents(runId, { limit: 1 }),
    staleTime: Infinity,
  });
  const { data } = query;
  const error = queryErrorOf(query);
  if (error !== null && data === undefined) return <Failure error={error} />;
  if (data === undefined) return <Loading label="Loading input" lines={3} />;
  const { input } = (data.items[0]?.eventData ?? {}) as { input?: unknown };
  return <JsonView value={input} whenAbsent="This run has no input." />;
}

const ABSENT = {
  output: "No output yet.",
  state: "This workflow has no state.",
};

interface AtSeq {
  readonly runId: string;
  readonly seq: number;
}

/** The output or the state of the run at a seq. */
export function RunData({ runId, seq, part }: AtSeq & { readonly part: "output" | "state" }) {
  const query = useRunAt({ runId, seq });
  const { data } = query;
  const error = queryErrorOf(query);
  if (error !== null && data === undefined) return <Failure error={error} />;
  if (data === undefined) return <Loading label={`Loading ${part}`} lines={3} />;
  if (part === "output" && data.outputArtifact !== undefined)
    return <StoredOutput runId={runId} artifact={data.outputArtifact} output={data.output} />;
  return <JsonView value={data[part]} whenAbsent={ABSENT[part]} />;
}

/** The artifacts of the run at a seq. A completed run has those of all its steps. */
export function RunArtifacts({ runId, seq }: AtSeq) {
  const query = useRunAt({ runId, seq });
  const { data } = query;
  const error = queryErrorOf(query);
  if (error !== null && data === undefined) return <Failure error={error} />;
  if (data === undefined) return <Loading label="Loading artifacts" lines={3} />;
  return <ArtifactList runId={runId} artifacts={data.artifacts} />;
}

function useRunAt({ runId, seq }: AtSeq) {
  return useQuery({
    queryKey: ["run-at", runId, seq],
    queryFn: () => client.getRun(runId, { atSeq: seq }),
    placeholderData: (known: Run | undefined) => known,
    staleTime: Infinity,
  });
}
