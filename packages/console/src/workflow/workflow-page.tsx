/** One workflow: the history of its runs, its graph, its versions and its schedules. */
import type { RunPlan } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { InspectorTabs } from "../run/inspector/inspector-tabs.js";
import { Failure, Loading, StaleNotice } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { HistoryPanel } from "./history/history-panel.js";
import { SlowestNodes } from "./slowest-nodes.js";
import { ScheduleList } from "./schedules/schedule-list.js";
import { workflowTabs, type WorkflowTab } from "./search.js";
import { VersionPanel } from "./versions/version-panel.js";
import { WorkflowGraph } from "./workflow-graph.js";
import { WorkflowHeader } from "./workflow-header.js";

export function WorkflowPage() {
  const { workflowId } = useParams({ from: "/workflows/$workflowId" });
  useTitle(workflowId);
  const { tab } = useSearch({ from: "/workflows/$workflowId" });
  const navigate = useNavigate({ from: "/workflows/$workflowId" });
  const query = useQuery({
    queryKey: ["workflow", workflowId],
    queryFn: () => client.getWorkflow(workflowId),
    refetchInterval: 5_000,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading workflow" lines={12} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const choose = (id: string | undefined): void => void navigate({ search: tabOf(id), replace: true });
  return (
    <div className="workflow">
      <WorkflowHeader workflow={data} />
      <StaleNotice error={error} />
      <div className="workflow-body">
        <div className="workflow-main">
          <HistoryPanel workflow={data} />
          <WorkflowGraph plan={data.plan} />
        </div>
        <section className="panel workflow-side" aria-label="Versions and schedules">
          <InspectorTabs
            chosen={tab}
            onChoose={choose}
            tabs={[
              {
                id: "versions",
                title: `Versions ${data.versionCount}`,
                content: () => <VersionPanel workflowId={workflowId} />,
              },
              ...(hasNodes(data.plan)
                ? [{ id: "nodes", title: "Slowest nodes", content: () => <SlowestNodes workflowId={workflowId} /> }]
                : []),
              { id: "schedules", title: "Schedules", content: () => <ScheduleList plan={data.plan} /> },
            ]}
          />
        </section>
      </div>
    </div>
  );
}

/** The nodes of a dbt project are steps inside its step. */
function hasNodes(plan: RunPlan): boolean {
  return [...indexPlan(plan as unknown as Plan).values()].some(({ kind }) => kind === "dbt");
}

function tabOf(id: string | undefined): { readonly tab?: WorkflowTab } {
  const tab = workflowTabs.find((one) => one === id);
  return tab === undefined ? {} : { tab };
}
