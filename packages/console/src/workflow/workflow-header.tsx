import type { WorkflowDetail } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRefusal } from "../api/session.js";
import { Button, buttonClass } from "../ui/button.js";
import { relative } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { CountChips } from "./count-chips.js";
import { StartDialog } from "./start-dialog.js";

export function WorkflowHeader({ workflow }: { readonly workflow: WorkflowDetail }) {
  const { workflowId, publishedAt, plan, counts } = workflow;
  const [isStarting, setStarting] = useState(false);
  const refusal = useRefusal("operator");
  const now = useNow();
  return (
    <header className="workflow-head">
      <h1>
        {workflowId} <span className="quiet">{plan.planVersion}</span>
      </h1>
      <span className="quiet">published {relative(publishedAt, now)}</span>
      <CountChips workflowId={workflowId} counts={counts} />
      <span className="grow" />
      {plan.partitions !== undefined && (
        <Link to="/workflows/$workflowId/partitions" params={{ workflowId }} search={{}} className={buttonClass()}>
          Partitions
        </Link>
      )}
      <Link to="/runs" search={{ workflow: workflowId }} className={buttonClass()}>
        View runs
      </Link>
      <Button
        variant="primary"
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => setStarting(true)}
      >
        Start run
      </Button>
      {isStarting && <StartDialog plan={plan} onClose={() => setStarting(false)} />}
    </header>
  );
}
