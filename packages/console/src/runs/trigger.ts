import type { RunSummary } from "@runledger/client";
import type { SearchChange } from "./search.js";

interface Trigger {
  readonly word: string;
  readonly title?: string;
  /** A filter for runs with the same trigger. `null` if there is none. */
  readonly filter: SearchChange | null;
}

/** Returns the reason why the run was started. */
export function trigger({ schedule, parent, runRequestId }: RunSummary): Trigger {
  if (schedule !== undefined)
    return {
      word: schedule.scheduleId,
      title: `schedule ${schedule.scheduleId}, due ${schedule.tick}`,
      filter: { schedule: schedule.scheduleId },
    };
  if (parent !== undefined)
    return { word: `step ${parent.stepId}`, title: `child of ${parent.runId}`, filter: { parent: parent.runId } };
  const isNamed = runRequestId !== undefined && !runRequestId.startsWith("req_"); // otherwise the client generated the id
  return {
    word: isNamed ? runRequestId : "request",
    ...(runRequestId !== undefined && { title: runRequestId }),
    filter: null,
  };
}
