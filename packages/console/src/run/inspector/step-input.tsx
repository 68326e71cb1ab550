import { indexPlan, instanceId, pathOf } from "@runledger/core";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { usePlan } from "../../api/use-plan.js";
import { JsonView } from "../../ui/json-view.js";
import { Loading } from "../../ui/states.js";
import type { InspectorProps } from "./inspector.js";
import { outputIn } from "./output-in.js";
import { RunInput } from "./run-data.js";

interface StepInputProps {
  readonly runId: string;
  readonly stepId: string;
  /** The run as it was known then. */
  readonly seq: number;
  readonly onChange: InspectorProps["onChange"];
}

/** What a step could read: the outputs that it names, and what the run was started with. */
export function StepInput({ runId, stepId, seq, onChange }: StepInputProps) {
  const known = usePlan(runId);
  if (known === undefined) return <Loading label="Reading the plan" lines={3} />;
  const step = known === null ? undefined : indexPlan(known.plan).get(pathOf(stepId));
  const needs = Object.entries(step?.needs ?? {});
  return (
    <>
      {needs.map(([name, path]) => (
        <Need key={name} runId={runId} name={name} stepId={instanceId(path, stepId)} seq={seq} onChange={onChange} />
      ))}
      <h3>The run’s input</h3>
      <RunInput runId={runId} />
    </>
  );
}

function Need({ runId, name, stepId, seq, onChange }: StepInputProps & { readonly name: string }) {
  const { data, isError } = useQuery({
    queryKey: ["step", runId, stepId, `at ${seq}`],
    queryFn: () => client.getStep(runId, stepId),
    staleTime: Infinity,
  });
  const { output, from } = outputIn((data?.events ?? []).filter(({ runSeq }) => runSeq <= seq));
  return (
    <>
      <h3>
        {name} <span className="quiet">from</span>{" "}
        <button type="button" className="link" onClick={() => onChange({ step: stepId })}>
          {stepId}
        </button>
      </h3>
      {data === undefined && !isError ? (
        <Loading label={`Loading ${name}`} lines={2} />
      ) : from === null ? (
        <JsonView value={output} whenAbsent="It gave nothing." />
      ) : (
        <p>
          What{" "}
          <button type="button" className="link" onClick={() => onChange({ step: from })}>
            {from}
          </button>{" "}
          gave
        </p>
      )}
    </>
  );
}
