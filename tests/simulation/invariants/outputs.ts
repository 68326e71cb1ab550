/** What steps read is what the steps they name gave back; children are as their parents say. */
import { isDeepStrictEqual } from "node:util";
import { instanceId } from "@runledger/core";
import type { Execution } from "../world/cluster.js";
import { isChild } from "../world/cluster.js";
import { builtInKinds } from "@runledger/contracts";
import { dataOf, endBefore, RUN_ENDS, stepOf, type Report, type Story } from "./story.js";

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
    const expected = { StepCompleted: dataOf(end)["output"], StepSkipped: null }[end.eventType];
    if (!isDeepStrictEqual(needs[name], expected)) {
      report("reads-what-was-written", `${stepId} read ${JSON.stringify(needs[name])} of ${id}`);
    }
  }
}

/** A child is named by its parent before it is there, and its end is what its parent says it is (D9). */
export function childrenFit(stories: ReadonlyMap<string, Story>, report: Report): void {
  const named = new Set<string>();
  for (const story of stories.values()) {
    for (const attempts of story.attempts.values()) {
      for (const { start, end, step, stepId } of attempts) {
        const id =
          start === null ? undefined : (dataOf(start)["opened"] as { childRunId?: string } | undefined)?.childRunId;
        if (step.kind !== "child" || id === undefined) continue;
        named.add(id);
        const childEnd = stories.get(id)?.events.find(({ eventType }) => RUN_ENDS.has(eventType))?.eventType;
        const says = end?.eventType;
        const code = says === "StepFailed" ? (dataOf(end!)["error"] as { code: string }).code : undefined;
        const isRight =
          says === "StepCompleted"
            ? childEnd === "RunCompleted"
            : code !== "CHILD_FAILED" || childEnd !== "RunCompleted";
        if (!isRight) report("children-fit", `${stepId} says ${says}, its child ${childEnd}`);
      }
    }
  }
  for (const runId of stories.keys()) {
    if (isChild(runId) && !named.has(runId)) report("children-fit", `${runId} is a child that no parent names`);
  }
}
