import { Status } from "../../ui/status.js";
import { ErrorBox } from "./error-box.js";
import type { InspectorProps } from "./inspector.js";
import { InspectorTabs } from "./inspector-tabs.js";
import { LogView } from "./log-view.js";
import { RunArtifacts, RunData, RunInput } from "./run-data.js";

export function RunInspector({ runId, view, search, onChange }: InspectorProps) {
  const { header, seq } = view;
  return (
    <>
      <div className="inspector-head">
        <h2>Run</h2>
        <Status of="run" status={header.status} waitsFor={view.waitsFor} />
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
          {
            id: "artifacts",
            title: "Artifacts",
            content: () => <RunArtifacts runId={runId} seq={seq} />,
          },
        ]}
      />
    </>
  );
}
