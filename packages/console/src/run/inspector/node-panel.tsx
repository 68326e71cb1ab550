/** A node of a dbt project: its result, the rows that a test found, and its compiled SQL. */
import type { RunEvent } from "@runledger/client";
import { lazyView } from "../../ui/lazy-view.js";
import { nodeFacts } from "./node-facts.js";

const CompiledSql = lazyView(() => import("../../preview/compiled-sql.js").then((module) => module.CompiledSql));
const FailingRows = lazyView(() => import("../../preview/failing-rows.js").then((module) => module.FailingRows));

interface NodePanelProps {
  readonly runId: string;
  readonly stepId: string;
  readonly kind: string;
  /** Events of the node up to the seq that is shown. */
  readonly events: readonly RunEvent[];
}

export function NodePanel({ runId, stepId, kind, events }: NodePanelProps) {
  const { facts, sql, hasFailures } = nodeFacts(events, kind);
  return (
    <>
      <dl className="pairs node-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {hasFailures && <FailingRows key={stepId} runId={runId} stepId={stepId} />}
      {sql !== null && <CompiledSql key={sql.uri} runId={runId} artifact={sql} />}
    </>
  );
}
