import type { RunSummary } from "@runledger/client";
import type { SearchChange } from "./search.js";

interface Trigger {
  readonly word: string;
  readonly title?: string;
  /** What shows the runs that began like this one; null = nothing does. */
  readonly filter: SearchChange | null;
}

/** Why the run exists. */
export function trigger({ schedule, parent, runRequestId }: RunSummary): Trigger {
  if (schedule !== undefined)
    return {
      word: schedule.scheduleId,
      title: `schedule ${schedule.scheduleId}, due ${schedule.tick}`,
      filter: { schedule: schedule.scheduleId },
    };
  if (parent !== undefined)
    return { word: `step ${parent.stepId}`, title: `child of ${parent.runId}`, filter: { parent: parent.runId } };
  const isNamed = runRequestId !== undefined && !runRequestId.startsWith("req_"); // else nobody chose it
  return {
    word: isNamed ? runRequestId : "request",
    ...(runRequestId !== undefined && { title: runRequestId }),
    filter: null,
  };
}
