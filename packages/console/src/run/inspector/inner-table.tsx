/** The inner steps of a step, such as the nodes of a dbt project: slowest first. */
import { useState } from "react";
import { Button } from "../../ui/button.js";
import { count, counted, duration } from "../../ui/format.js";
import { Status } from "../../ui/status.js";
import type { InnerView } from "../model/view.js";
import type { InspectorProps } from "./inspector.js";

const FIRST = 20;

interface InnerTableProps extends Pick<InspectorProps, "onChange"> {
  readonly steps: readonly InnerView[];
}

export function InnerTable({ steps, onChange }: InnerTableProps) {
  const [isAll, setAll] = useState(false);
  const sorted = steps.toSorted((one, other) => timeOf(other) - timeOf(one));
  const failed = steps.filter(({ status }) => status === "FAILED").length;
  return (
    <>
      <div className="row">
        <span>
          {counted(steps.length, "node")}
          {failed > 0 && `, ${count(failed)} failed`}; slowest first
        </span>
        <span className="grow" />
        <Button size="small" onClick={() => onChange({ view: "graph" })}>
          Show graph
        </Button>
      </div>
      <table className="table inner-table">
        <thead>
          <tr>
            <th>Node</th>
            <th className="end">Duration</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, isAll ? undefined : FIRST).map(({ stepId, label, kind, status, durationMs }) => (
            <tr key={stepId}>
              <td>
                <Status of="step" status={status} iconOnly />{" "}
                <Button variant="link" title={stepId} onClick={() => onChange({ step: stepId })}>
                  {label}
                </Button>{" "}
                <span className="quiet">{kind}</span>
              </td>
              <td className="end number">{durationMs === null ? "" : duration(durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!isAll && sorted.length > FIRST && (
        <Button variant="plain" onClick={() => setAll(true)}>
          Show all {count(sorted.length)}
        </Button>
      )}
    </>
  );
}

/** A running node comes first, a skipped one last. */
function timeOf({ status, durationMs }: InnerView): number {
  return durationMs ?? (status === "SKIPPED" ? -1 : Number.MAX_SAFE_INTEGER);
}
