/** Steps read exactly what their dependencies returned. */
import { isDeepStrictEqual } from "node:util";
import { builtInKinds } from "@runledger/contracts";
import { instanceId } from "@runledger/core";
import type { Execution } from "../world/cluster.js";
import { dataOf, endBefore, isReset, stepOf, type Report, type Story } from "./story.js";

const CONTAINERS = new Set<string>(builtInKinds);

export function readsWhatWasWritten(story: Story, executions: readonly Execution[], report: Report): void {
  for (const execution of executions) {
    const { runId, stepId, attempt } = execution;
    const start = story.attempts.get(stepId)?.find((each) => each.attempt === attempt)?.start;
    if (runId === story.runId && start) checkReads(story, execution, start.runSeq, report);
  }
}

function checkReads(story: Story, { stepId, needs }: Execution, seq: number, report: Report): void {
  const prefix = stepId.split("/").slice(0, -1).join("/");
  for (const [name, path] of Object.entries(stepOf(story.plan, stepId).needs)) {
    const id = instanceId(path, prefix === "" ? "" : `${prefix}/`);
    const end = endBefore(story, id, seq);
    if (end === null || CONTAINERS.has(stepOf(story.plan, id).kind)) continue;
    if (isReset(story, id, seq, Infinity)) continue; // while the step ran: a worker that takes over reads the current output
    const expected = { StepCompleted: dataOf(end)["output"], StepSkipped: null }[end.eventType];
    if (!isDeepStrictEqual(needs[name], expected)) {
      report("reads-what-was-written", `${stepId} read ${JSON.stringify(needs[name])} of ${id}`);
    }
  }
}
