/** Payloads of the run itself: asked of the server, because the events that the page folds come without them. */
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { JsonView } from "../../ui/json-view.js";
import { Failure, Loading } from "../../ui/states.js";

export function RunInput({ runId }: { readonly runId: string }) {
  const { data, error } = useQuery({
    queryKey: ["first-event", runId],
    queryFn: () => client.listEvents(runId, { limit: 1 }),
    staleTime: Infinity,
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading label="Loading the input" lines={3} />;
  const { input } = (data.items[0]?.eventData ?? {}) as { input?: unknown };
  return <JsonView value={input} whenAbsent="It was started without input." />;
}

const ABSENT = {
  output: "It has no output yet.",
  state: "The workflow keeps no state.",
};

/** As it was known at a seq. */
export function RunData({
  runId,
  seq,
  part,
}: {
  readonly runId: string;
  readonly seq: number;
  readonly part: "output" | "state";
}) {
  const { data, error } = useQuery({
    queryKey: ["run-at", runId, seq],
    queryFn: () => client.getRun(runId, { atSeq: seq }),
    placeholderData: (known) => known,
    staleTime: Infinity,
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading label={`Loading the ${part}`} lines={3} />;
  return <JsonView value={data[part]} whenAbsent={ABSENT[part]} />;
}
