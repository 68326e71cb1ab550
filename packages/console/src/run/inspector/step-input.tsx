import { indexPlan, instanceId, pathOf } from "@runledger/core";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { usePlan } from "../../api/use-plan.js";
import { Button } from "../../ui/button.js";
import { JsonView } from "../../ui/json-view.js";
import { Loading } from "../../ui/states.js";
import type { InspectorProps } from "./inspector.js";
import { outputIn } from "./output-in.js";
import { RunInput } from "./run-data.js";
import { StoredOutput } from "./stored-output.js";

interface NeedProps {
  readonly runId: string;
  readonly stepId: string;
  /** Shows the outputs as they were at this event. */
  readonly seq: number;
  readonly onChange: InspectorProps["onChange"];
}

interface StepInputProps extends NeedProps {
  /** `null` if the step is not a child run. */
  readonly childRunId: string | null;
}

/** The data that a step can read: the outputs that it needs, and the input of the run. A child run has its own input. */
export function StepInput({ runId, stepId, childRunId, seq, onChange }: StepInputProps) {
  const known = usePlan(runId);
  if (known === undefined) return <Loading label="Loading plan" lines={3} />;
  const step = known === null ? undefined : indexPlan(known.plan).get(pathOf(stepId));
  const needs = Object.entries(step?.needs ?? {});
  return (
    <>
      {needs.map(([name, path]) => (
        <Need key={name} runId={runId} name={name} stepId={instanceId(path, stepId)} seq={seq} onChange={onChange} />
      ))}
      <h3>{childRunId === null ? "Run input" : "Input of the child run"}</h3>
      <RunInput runId={childRunId ?? runId} />
    </>
  );
}

function Need({ runId, name, stepId, seq, onChange }: NeedProps & { readonly name: string }) {
  const { data, isError } = useQuery({
    queryKey: ["step", runId, stepId, `at ${seq}`],
    queryFn: () => client.getStep(runId, stepId),
    staleTime: Infinity,
  });
  const { output, isSignal, artifact, from } = outputIn((data?.events ?? []).filter(({ runSeq }) => runSeq <= seq));
  return (
    <>
      <h3>
        {name} <span className="quiet">from</span>{" "}
        <Button variant="link" onClick={() => onChange({ step: stepId })}>
          {stepId}
        </Button>
      </h3>
      {data === undefined && !isError ? (
        <Loading label={`Loading ${name}`} lines={2} />
      ) : artifact !== null ? (
        <StoredOutput runId={runId} artifact={artifact} output={data?.output} />
      ) : from === null ? (
        <JsonView value={isSignal ? data?.output : output} whenAbsent="No output." />
      ) : (
        <p>
          Output of{" "}
          <Button variant="link" onClick={() => onChange({ step: from })}>
            {from}
          </Button>
        </p>
      )}
    </>
  );
}
