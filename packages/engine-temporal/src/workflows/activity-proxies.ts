/** The activities, with the time limits that the workflow gives them. Temporal retries infrastructure faults only. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from "@temporalio/workflow";
import type { Activities, ExecutionSettings } from "../messages.js";

/** No step may take longer. Its own timeout is part of the plan and is enforced inside the activity. */
const LONGEST_STEP = "365 days";
const RETRY = { initialInterval: "200 ms", backoffCoefficient: 2, maximumInterval: "10 s" } as const;

type LocalActivities = Omit<Activities, "work">;

/** Short calls of the ledger. They run in the worker of the workflow and need no task. */
export const ledger: LocalActivities = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: "30 s",
  retry: RETRY,
});

export function steps({ heartbeatTimeoutMs }: ExecutionSettings): Pick<Activities, "work"> {
  return proxyActivities<Pick<Activities, "work">>({
    startToCloseTimeout: LONGEST_STEP,
    heartbeatTimeout: heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
  });
}
