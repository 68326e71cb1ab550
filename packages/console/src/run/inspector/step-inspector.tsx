import { readEvent } from "@runledger/contracts";
import type { RunEvent, StepDetail } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { Button } from "../../ui/button.js";
import { Icon } from "../../ui/icon.js";
import { JsonView } from "../../ui/json-view.js";
import { Empty, Failure, Loading } from "../../ui/states.js";
import { Status } from "../../ui/status.js";
import { StepActions } from "../actions/step-actions.js";
import type { RunView } from "../model/view.js";
import { ArtifactList } from "./artifact-list.js";
import { AttemptList } from "./attempt-list.js";
import { ChildRun, childRunOf } from "./child-run.js";
import type { InspectorProps } from "./inspector.js";
import { InspectorTabs } from "./inspector-tabs.js";
import { InnerTable } from "./inner-table.js";
import { LogView } from "./log-view.js";
import { NodePanel } from "./node-panel.js";
import { outputIn } from "./output-in.js";
import { RunData } from "./run-data.js";
import { StepDatasets } from "./step-datasets.js";
import { StepInput } from "./step-input.js";
import { StoredOutput } from "./stored-output.js";

interface StepInspectorProps extends InspectorProps {
  readonly stepId: string;
}

export function StepInspector({ runId, view, search, onChange, stepId }: StepInspectorProps) {
  const row = view.rows.find((one) => one.stepId === stepId);
  const query = useStep(runId, stepId, row?.status === "NOT_STARTED" ? null : version(view, stepId));
  const { data } = query;
  const error = queryErrorOf(query);
  const events = (data?.events ?? []).filter(({ runSeq }) => runSeq <= view.seq);
  const status = row?.status ?? data?.step.status ?? "NOT_STARTED";
  const childRunId = events.map(childRunOf).findLast((one) => one !== null) ?? null;
  return (
    <>
      <div className="inspector-head">
        <h2 className="cut" title={stepId}>
          {stepId}
        </h2>
        <Status of="step" status={status} />
        <Button
          variant="plain"
          size="small"
          aria-label="Back to run"
          data-key="esc"
          onClick={() => onChange({ step: undefined })}
        >
          <Icon name="close" size={12} />
        </Button>
      </div>
      <StepActions runId={runId} view={view} stepId={stepId} status={status} signal={row?.signal ?? null} />
      {childRunId !== null && <ChildRun runId={childRunId} />}
      <StepDatasets events={events} />
      {status === "NOT_STARTED" ? (
        <Empty title="Not started yet" />
      ) : data === undefined ? (
        error === null ? (
          <Loading label="Loading step" lines={4} />
        ) : (
          <Failure error={error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <InspectorTabs
          chosen={search.tab}
          onChoose={(tab) => onChange({ tab })}
          tabs={[
            ...innerTabs({ runId, stepId, view, onChange, events, kind: innerKindOf(data) }),
            {
              id: "attempts",
              title: "Attempts",
              content: () => (
                <AttemptList events={events} now={view.time.now} status={status} reason={row?.reason ?? null} />
              ),
            },
            {
              id: "input",
              title: "Input",
              content: () => (
                <StepInput runId={runId} stepId={stepId} childRunId={childRunId} seq={view.seq} onChange={onChange} />
              ),
            },
            {
              id: "output",
              title: "Output",
              content: () => <StepOutput runId={runId} events={events} resolved={data.output} onChange={onChange} />,
            },
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
              content: () => <ArtifactList runId={runId} stepId={stepId} artifacts={artifactsIn(events)} />,
            },
          ]}
        />
      )}
    </>
  );
}

interface InnerTabsProps extends Omit<StepInspectorProps, "search"> {
  readonly events: readonly RunEvent[];
  /** `null` if the step is not an inner step. */
  readonly kind: string | null;
}

/** The first tab of a node of a dbt project, and of the step that runs the project. Other steps have none. */
function innerTabs({ runId, stepId, view, onChange, events, kind }: InnerTabsProps) {
  const steps = view.inner[stepId] ?? [];
  if (kind !== null)
    return [
      {
        id: "node",
        title: "Node",
        content: () => <NodePanel runId={runId} stepId={stepId} kind={kind} events={events} />,
      },
    ];
  if (steps.length === 0) return [];
  return [{ id: "nodes", title: "Nodes", content: () => <InnerTable steps={steps} onChange={onChange} /> }];
}

function innerKindOf({ step }: StepDetail): string | null {
  const { inner } = (step.opened ?? {}) as { readonly inner?: { readonly kind: string } };
  return inner?.kind ?? null;
}

/** Changes when the step changes, so that the step is not reloaded with every event of the run. */
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
  readonly runId: string;
  readonly events: readonly RunEvent[];
  /** The output that the server read. */
  readonly resolved: unknown;
  readonly onChange: InspectorProps["onChange"];
}

function StepOutput({ runId, events, resolved, onChange }: StepOutputProps) {
  const { isComplete, output, isSignal, artifact, from, patch } = outputIn(events);
  if (from !== null)
    return (
      <p>
        Output of{" "}
        <Button variant="link" onClick={() => onChange({ step: from })}>
          {from}
        </Button>
      </p>
    );
  return (
    <>
      {artifact !== null ? (
        <StoredOutput runId={runId} artifact={artifact} output={resolved} />
      ) : (
        <JsonView value={isSignal ? resolved : output} whenAbsent={isComplete ? "No output." : "Not completed yet."} />
      )}
      {patch !== undefined && (
        <>
          <h3>State changes</h3>
          <JsonView value={patch} whenAbsent="" />
        </>
      )}
    </>
  );
}

/** A step sees the state as it was when it started (D2). */
function startOf(events: readonly RunEvent[]): number | undefined {
  return events.findLast(({ eventType }) => eventType === "StepStarted")?.runSeq;
}

function artifactsIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => {
    const read = readEvent(event);
    return read.eventType === "StepCompleted" || read.eventType === "StepFailed"
      ? (read.eventData.artifacts ?? [])
      : [];
  });
}
