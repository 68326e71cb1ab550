import type { RunEvent, StepDetail } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { Glyph } from "../../ui/glyph.js";
import { JsonView } from "../../ui/json-view.js";
import { Empty, Loading } from "../../ui/states.js";
import { Status } from "../../ui/status.js";
import { StepActions } from "../actions/step-actions.js";
import type { RunView } from "../model/view.js";
import { ArtifactList } from "./artifact-list.js";
import { AttemptList } from "./attempt-list.js";
import type { InspectorProps } from "./inspector.js";
import { InspectorTabs } from "./inspector-tabs.js";
import { LogView } from "./log-view.js";
import { outputIn } from "./output-in.js";
import { RunData } from "./run-data.js";
import { StepInput } from "./step-input.js";

interface StepInspectorProps extends InspectorProps {
  readonly stepId: string;
}

export function StepInspector({ runId, view, search, onChange, stepId }: StepInspectorProps) {
  const row = view.rows.find((one) => one.stepId === stepId);
  const { data } = useStep(runId, stepId, row?.status === "NOT_STARTED" ? null : version(view, stepId));
  const events = (data?.events ?? []).filter(({ runSeq }) => runSeq <= view.seq);
  const status = row?.status ?? data?.step.status ?? "NOT_STARTED";
  return (
    <>
      <div className="inspector-head">
        <h2 className="cut" title={stepId}>
          {stepId}
        </h2>
        <Status of="step" status={status} />
        <button
          type="button"
          className="button plain small"
          aria-label="Show the run"
          data-key="esc"
          onClick={() => onChange({ step: undefined })}
        >
          <Glyph name="close" size={12} />
        </button>
      </div>
      <StepActions runId={runId} view={view} stepId={stepId} status={status} signal={row?.signal ?? null} />
      {status === "NOT_STARTED" ? (
        <Empty title="It has not begun" />
      ) : data === undefined ? (
        <Loading label="Loading the step" lines={4} />
      ) : (
        <InspectorTabs
          chosen={search.tab}
          onChoose={(tab) => onChange({ tab })}
          tabs={[
            {
              id: "attempts",
              title: "Attempts",
              content: () => <AttemptList events={events} now={view.time.now} status={status} />,
            },
            {
              id: "input",
              title: "Input",
              content: () => <StepInput runId={runId} stepId={stepId} seq={view.seq} onChange={onChange} />,
            },
            { id: "output", title: "Output", content: () => <StepOutput events={events} onChange={onChange} /> },
            {
              id: "state",
              title: "State",
              content: () => <RunData runId={runId} seq={startOf(events) ?? view.seq} part="state" />,
            },
            {
              id: "logs",
              title: "Logs",
              content: () => <LogView runId={runId} stepId={stepId} isLive={data.step.completedAt === undefined} />,
            },
            {
              id: "artifacts",
              title: "Artifacts",
              content: () => <ArtifactList runId={runId} artifacts={artifactsIn(events)} />,
            },
          ]}
        />
      )}
    </>
  );
}

/** A step is read again when it has changed, not whenever the run has. */
function version({ rows, seq }: RunView, stepId: string): string {
  const row = rows.find((one) => one.stepId === stepId);
  return row === undefined ? `at ${seq}` : JSON.stringify([row.status, row.attempts]);
}

function useStep(runId: string, stepId: string, known: string | null) {
  return useQuery({
    queryKey: ["step", runId, stepId, known],
    queryFn: () => client.getStep(runId, stepId),
    enabled: known !== null,
    placeholderData: (before: StepDetail | undefined) => before,
  });
}

interface StepOutputProps {
  readonly events: readonly RunEvent[];
  readonly onChange: InspectorProps["onChange"];
}

function StepOutput({ events, onChange }: StepOutputProps) {
  const { isComplete, output, from, patch } = outputIn(events);
  if (from !== null)
    return (
      <p>
        Its output is that of{" "}
        <button type="button" className="link" onClick={() => onChange({ step: from })}>
          {from}
        </button>
      </p>
    );
  return (
    <>
      <JsonView value={output} whenAbsent={isComplete ? "It gave nothing." : "It has not completed."} />
      {patch !== undefined && (
        <>
          <h3>What it changed in the state</h3>
          <JsonView value={patch} whenAbsent="" />
        </>
      )}
    </>
  );
}

/** A step sees the state as it was when it began (D2). */
function startOf(events: readonly RunEvent[]): number | undefined {
  return events.findLast(({ eventType }) => eventType === "StepStarted")?.runSeq;
}

function artifactsIn(events: readonly RunEvent[]) {
  return events.flatMap(
    ({ eventData }) => (eventData as { artifacts?: StepDetail["step"]["artifacts"] } | null)?.artifacts ?? [],
  );
}
