/** What a new owner finds and says (N4, D5). */
import { builtInKinds } from "@runledger/contracts";
import type { Execution } from "../world/cluster.js";
import { dataOf, type Judge, type Report, type Story } from "./story.js";

const CONTAINERS = new Set<string>(builtInKinds);

/** A worker that finds steps in flight says so before it does anything else. */
export const takeOversAreOnRecord: Judge = (story, report) => {
  const seen = new Set<string>();
  for (const event of story.events) {
    const { engineAttemptId: epoch, eventType, runSeq } = event;
    if (epoch === undefined || seen.has(epoch)) continue;
    seen.add(epoch);
    const found = inFlightAt(story, runSeq);
    if (eventType !== "RunTakenOver") {
      if (found.length > 0) report("take-over-is-on-record", `epoch ${epoch} found ${found.join()} and says nothing`);
      continue;
    }
    const { epoch: own, stepsInFlight: said } = dataOf(event) as { epoch: number; stepsInFlight: string[] };
    if (String(own) !== epoch) report("take-over-is-on-record", `epoch ${epoch} calls itself ${own}`);
    if (said.toSorted().join() !== found.toSorted().join()) {
      report("take-over-is-on-record", `epoch ${epoch} found ${found.join()}, and says ${said.join()}`);
    }
  }
};

function inFlightAt(story: Story, seq: number): string[] {
  return [...story.attempts].flatMap(([stepId, attempts]) => {
    const runs = attempts.some(
      ({ start, end, step }) =>
        !CONTAINERS.has(step.kind) && start !== null && start.runSeq < seq && (end === null || end.runSeq >= seq),
    );
    return runs ? [stepId] : [];
  });
}

/** Work is done for attempts that are on record, and again only after a take-over; after five it is given up. */
export function executedAsRecorded(story: Story, executions: readonly Execution[], report: Report): void {
  const counts = new Map<string, number>();
  for (const { runId, stepId, attempt } of executions) {
    if (runId !== story.runId) continue;
    const name = `${stepId} ${attempt}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [stepId, attempts] of story.attempts) {
    for (const { attempt, start, end } of attempts) {
      const count = counts.get(`${stepId} ${attempt}`) ?? 0;
      counts.delete(`${stepId} ${attempt}`);
      const takeOvers = start === null ? 0 : takeOversOf(story, stepId, start.runSeq, end?.runSeq ?? Infinity);
      if (count > 1 + Math.min(takeOvers, 4)) {
        report("executed-as-recorded", `${stepId} ${attempt} ran ${count} times, with ${takeOvers} take-overs`);
      }
      const lost = end?.eventType === "StepFailed" && (dataOf(end)["error"] as { code: string }).code === "WORKER_LOST";
      if (lost && takeOvers < 5) report("executed-as-recorded", `${stepId} was given up after ${takeOvers} take-overs`);
    }
  }
  for (const name of counts.keys()) report("executed-as-recorded", `${name} ran and is not on record`);
}

function takeOversOf({ events }: Story, stepId: string, from: number, to: number): number {
  return events.filter(
    (event) =>
      event.eventType === "RunTakenOver" &&
      event.runSeq > from &&
      event.runSeq < to &&
      (dataOf(event)["stepsInFlight"] as string[]).includes(stepId),
  ).length;
}
