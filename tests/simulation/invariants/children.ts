/** Child runs match their parents' logs (D9). */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { isChild } from "../world/cluster.js";
import { dataOf, isStop, livesOf, RUN_ENDS, type Attempt, type Report, type Story } from "./story.js";

/** How long a cancel may take to reach a child under faults. */
const SLOW_MS = 10_000;

export function childrenFit(stories: ReadonlyMap<string, Story>, report: Report): void {
  const named = new Set<string>();
  for (const story of stories.values()) {
    for (const attempt of [...story.attempts.values()].flat()) {
      const id = childOf(attempt);
      if (id === undefined) continue;
      named.add(id);
      const child = stories.get(id);
      if (attempt.end !== null) checkEnd(attempt, attempt.end, child, report);
      if (child !== undefined) checkStop(story, attempt, child, report);
    }
  }
  for (const runId of stories.keys()) {
    if (isChild(runId) && !named.has(runId)) report("children-fit", `${runId} is a child that no parent names`);
  }
}

function childOf({ step, start }: Attempt): string | undefined {
  if (step.kind !== "child" || start === null) return undefined;
  return (dataOf(start)["opened"] as { readonly childRunId?: string } | undefined)?.childRunId;
}

/** A child's end is recorded before its parent refers to it, and matches what the parent records. */
function checkEnd({ stepId }: Attempt, end: CanonicalEngineEvent, child: Story | undefined, report: Report): void {
  const code = end.eventType === "StepFailed" ? (dataOf(end)["error"] as { readonly code: string }).code : null;
  if (end.eventType !== "StepCompleted" && code !== "CHILD_FAILED") return;
  const childEnd = child?.events.findLast(({ eventType }) => RUN_ENDS.has(eventType));
  const completed = childEnd?.eventType === "RunCompleted";
  if (completed !== (code === null))
    report("children-fit", `${stepId} ${end.eventType}, its child ${childEnd?.eventType}`);
  if (childEnd === undefined || childEnd.persistedAt! > end.persistedAt!) {
    report("children-fit", `${stepId} ended before its child ${child?.runId}`);
  }
}

/** A cancel reaches the children. */
function checkStop(story: Story, { stepId, start, end }: Attempt, child: Story, report: Report): void {
  for (const life of livesOf(story)) {
    const stop = life.find(isStop);
    if (stop === undefined || start!.runSeq > stop.runSeq || (end !== null && end.runSeq < stop.runSeq)) continue;
    const isTold = child.events.some(({ logicalAttemptId }) => logicalAttemptId === "cancelled-by-parent");
    const childEnd = child.events.findLast(({ eventType }) => RUN_ENDS.has(eventType));
    const late = childEnd !== undefined && Date.parse(childEnd.persistedAt!) > Date.parse(stop.persistedAt!) + SLOW_MS;
    if (late && !isTold) report("a-stop-goes-down", `${stepId}'s child ${child.runId} got no cancel`);
  }
}
