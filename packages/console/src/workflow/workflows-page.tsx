import type { WorkflowSummary } from "@runledger/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { useTitle } from "../ui/title.js";
import { counted, duration, relative } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { Status } from "../ui/status.js";
import { CountChips } from "./count-chips.js";

export function WorkflowsPage() {
  useTitle("Workflows");
  const query = useInfiniteQuery({
    queryKey: ["workflows"],
    queryFn: ({ pageParam }) => client.listWorkflows(pageParam === null ? {} : { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 10_000,
  });
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  const workflows = data?.pages.flatMap(({ items }) => items) ?? [];
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading workflows" lines={8} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  if (workflows.length === 0)
    return (
      <Empty title="No workflows yet">
        <p>A workflow appears here when a worker that has it starts, or with its first run. To start a worker:</p>
        <code>npx runledger worker</code>
      </Empty>
    );
  return (
    <div className="columns">
      <StaleNotice error={error} />
      <section className="panel">
        <div className="panel-head">
          <h1>Workflows</h1>
          <span className="quiet">
            {counted(workflows.length, "workflow")}
            {hasNextPage && " loaded"}
          </span>
        </div>
        <table className="table stacked">
          <thead>
            <tr>
              <th>Workflow</th>
              <th>Runs</th>
              <th>Last run</th>
              <th>Published</th>
            </tr>
          </thead>
          <tbody>
            {workflows.map((workflow) => (
              <WorkflowRow key={workflow.workflowId} workflow={workflow} />
            ))}
          </tbody>
        </table>
        {hasNextPage && (
          <Button variant="plain" onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        )}
      </section>
    </div>
  );
}

function WorkflowRow({ workflow }: { readonly workflow: WorkflowSummary }) {
  const { workflowId, version, versionCount, publishedAt, counts, lastRun } = workflow;
  const now = useNow();
  return (
    <tr data-workflow={workflowId}>
      <td>
        <Link to="/workflows/$workflowId" params={{ workflowId }} search={{}} className="strong-link" data-row>
          {workflowId}
        </Link>{" "}
        <span className="quiet">
          {version}
          {versionCount > 1 && `, ${counted(versionCount, "version")}`}
        </span>
      </td>
      <td data-label="Runs">{lastRun !== null && <CountChips workflowId={workflowId} counts={counts} />}</td>
      <td data-label="Last run">
        {lastRun === null ? (
          <span className="quiet">never</span>
        ) : (
          <Link to="/runs/$runId" params={{ runId: lastRun.runId }} search={{}} className="last-run">
            <Status of="run" status={lastRun.status} waitsFor={lastRun.waitsFor} />
            <span className="quiet">
              {relative(lastRun.createdAt, now)}
              {lastRun.totalDurationMs !== undefined && `, ${duration(lastRun.totalDurationMs)}`}
            </span>
          </Link>
        )}
      </td>
      <td data-label="Published" className="quiet">
        {relative(publishedAt, now)}
      </td>
    </tr>
  );
}
