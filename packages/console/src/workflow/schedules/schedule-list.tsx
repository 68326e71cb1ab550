import type { RunPlan } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { Command } from "../../ui/command.js";
import { Failure, Loading, StaleNotice } from "../../ui/states.js";
import { ScheduleCard } from "./schedule-card.js";

/** A page may be short although more follow, because the server filters pages by workflow. */
const MAX_PAGES = 10;

export function ScheduleList({ plan }: { readonly plan: RunPlan }) {
  const workflowId = plan.planId;
  const query = useQuery({
    queryKey: ["schedules", workflowId],
    queryFn: () => schedulesOf(workflowId),
    refetchInterval: 10_000,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading schedules" lines={4} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="schedules">
      <StaleNotice error={error} />
      {data.length === 0 && (
        <div className="panel-note">
          <p>No schedules. To run this workflow on a schedule:</p>
          <Command line={putSchedule(plan)} />
        </div>
      )}
      {data.map((schedule) => (
        <ScheduleCard key={schedule.scheduleId} schedule={schedule} />
      ))}
    </div>
  );
}

/** Returns a command to copy. Values to fill in are an ellipsis. */
function putSchedule({ planId, inputSchema }: RunPlan): string {
  const fields = Object.keys((inputSchema as { properties?: object } | undefined)?.properties ?? {});
  const input = fields.length === 0 ? "" : ` --input '{${fields.map((name) => `"${name}":…`).join(",")}}'`;
  return `npx runledger schedules put nightly --workflow ${planId} --cron "0 2 * * *"${input} --server ${location.origin}`;
}

async function schedulesOf(workflow: string) {
  const pages = [await client.listSchedules({ workflow })];
  while (pages.at(-1)!.next !== null && pages.length < MAX_PAGES)
    pages.push(await client.listSchedules({ workflow, after: pages.at(-1)!.next! }));
  return pages.flatMap(({ items }) => items);
}
