/** When a workflow runs by itself. */
import type { RunPlan } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { troubleOf } from "../../api/trouble.js";
import { Command } from "../../ui/command.js";
import { Failure, Loading, StaleNotice } from "../../ui/states.js";
import { ScheduleCard } from "./schedule-card.js";

/** A page may be short although there are more: schedules of other workflows were left out of it. */
const MOST_PAGES = 10;

export function ScheduleList({ plan }: { readonly plan: RunPlan }) {
  const workflowId = plan.planId;
  const query = useQuery({
    queryKey: ["schedules", workflowId],
    queryFn: () => schedulesOf(workflowId),
    refetchInterval: 10_000,
  });
  const { data, refetch } = query;
  const trouble = troubleOf(query);
  if (data === undefined)
    return trouble === null ? (
      <Loading label="Loading schedules" lines={4} />
    ) : (
      <Failure error={trouble} onRetry={() => void refetch()} />
    );
  return (
    <div className="schedules">
      <StaleNotice error={trouble} />
      {data.length === 0 && (
        <div className="panel-note">
          <p>It runs when somebody starts it. To run it by the clock:</p>
          <Command line={putSchedule(plan)} />
        </div>
      )}
      {data.map((schedule) => (
        <ScheduleCard key={schedule.scheduleId} schedule={schedule} />
      ))}
    </div>
  );
}

/** As it can be typed where the command line is installed; what has to be filled in is an ellipsis. */
function putSchedule({ planId, inputSchema }: RunPlan): string {
  const fields = Object.keys((inputSchema as { properties?: object } | undefined)?.properties ?? {});
  const input = fields.length === 0 ? "" : ` --input '{${fields.map((name) => `"${name}":…`).join(",")}}'`;
  return `npx runledger schedules put nightly --workflow ${planId} --cron "0 2 * * *"${input} --server ${location.origin}`;
}

async function schedulesOf(workflow: string) {
  const pages = [await client.listSchedules({ workflow })];
  while (pages.at(-1)!.next !== null && pages.length < MOST_PAGES)
    pages.push(await client.listSchedules({ workflow, after: pages.at(-1)!.next! }));
  return pages.flatMap(({ items }) => items);
}
