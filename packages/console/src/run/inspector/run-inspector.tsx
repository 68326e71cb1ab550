import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { JsonView } from "../../ui/json-view.js";
import { Failure, Loading } from "../../ui/states.js";
import { Status } from "../../ui/status.js";
import { ArtifactList } from "./artifact-list.js";
import { ErrorBox } from "./error-box.js";
import type { InspectorProps } from "./inspector.js";
import { InspectorTabs } from "./inspector-tabs.js";
import { LogView } from "./log-view.js";

export function RunInspector({ runId, view, search, onChange }: InspectorProps) {
  const { header, seq } = view;
  return (
    <>
      <div className="inspector-head">
        <h2>The run</h2>
        <Status of="run" status={header.status} />
      </div>
      {header.error !== undefined && (
        <ErrorBox error={header.error} culprit={header.culprit} onCulprit={(step) => onChange({ step })} />
      )}
      <InspectorTabs
        chosen={search.tab}
        onChoose={(tab) => onChange({ tab })}
        tabs={[
          { id: "input", title: "Input", content: () => <RunInput runId={runId} /> },
          { id: "output", title: "Output", content: () => <RunData runId={runId} seq={seq} part="output" /> },
          { id: "state", title: "State", content: () => <RunData runId={runId} seq={seq} part="state" /> },
          {
            id: "logs",
            title: "Logs",
            content: () => <LogView runId={runId} isLive={header.completedAt === undefined} />,
          },
          { id: "artifacts", title: "Artifacts", content: () => <ArtifactList artifacts={header.artifacts} /> },
        ]}
      />
    </>
  );
}

function RunInput({ runId }: { readonly runId: string }) {
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

/** Asked of the server: the events that the page folds come without it. */
function RunData({
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
