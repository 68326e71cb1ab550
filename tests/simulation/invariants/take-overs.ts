/** Take-overs: what a new owner finds and records (N4, D5). */
import { builtInKinds } from "@runledger/contracts";
import type { Execution } from "../world/cluster.js";
import { dataOf, type Judge, type Report, type Story } from "./story.js";

/** A step with this many take-overs runs alone. */
const SUSPECT_AFTER = 2;
const CONTAINERS = new Set<string>(builtInKinds);

/** A worker that finds steps in flight records a take-over first. */
export const takeOversAreOnRecord: Judge = (story, report) => {
  const seen = new Set<number>();
  for (const event of story.events) {
    const { engineRunRef, eventType, runSeq } = event;
    const { epoch } = (engineRunRef ?? {}) as { readonly epoch?: number };
    if (epoch === undefined || seen.has(epoch)) continue;
    seen.add(epoch);
    const found = inFlightAt(story, runSeq);
    if (eventType !== "RunTakenOver") {
      if (found.length > 0)
        report("take-over-is-on-record", `epoch ${epoch} found ${found.join()} and recorded no take-over`);
      continue;
    }
    const { epoch: own, stepsInFlight: said } = dataOf(event) as { epoch: number; stepsInFlight: string[] };
    if (own !== epoch) report("take-over-is-on-record", `epoch ${epoch} calls itself ${own}`);
    const suspects = found.filter((stepId) => takeOversBefore(story, stepId, runSeq) >= SUSPECT_AFTER);
    const isRight =
      suspects.length > 0 ? isOneOf(suspects, said) : isSame(found, said) || isActivity(event, found, said);
    if (!isRight) report("take-over-is-on-record", `epoch ${epoch} found ${found.join()}, and says ${said.join()}`);
  }
};

/** An activity on a cluster records which step it takes over, also that of a container (T3). */
function isActivity(
  { engineRunRef }: Story["events"][number],
  found: readonly string[],
  said: readonly string[],
): boolean {
  const { engine } = (engineRunRef ?? {}) as { readonly engine?: string };
  return engine === "temporal" && found.length === 0 && said.length === 1;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

/** A suspect ran alone. */
function isOneOf(suspects: readonly string[], said: readonly string[]): boolean {
  return said.length === 1 && suspects.includes(said[0]!);
}

/** Take-overs of the step's current attempt. */
function takeOversBefore(story: Story, stepId: string, seq: number): number {
  const attempts = story.attempts.get(stepId) ?? [];
  const start = attempts.findLast((attempt) => attempt.start !== null && attempt.start.runSeq < seq)?.start;
  return start === undefined || start === null ? 0 : takeOversOf(story, stepId, start.runSeq, seq);
}

function inFlightAt(story: Story, seq: number): string[] {
  return [...story.attempts].flatMap(([stepId, attempts]) => {
    const runs = attempts.some(
      ({ start, end, step }) =>
        !CONTAINERS.has(step.kind) && start !== null && start.runSeq < seq && (end === null || end.runSeq >= seq),
    );
    return runs ? [stepId] : [];
  });
}

/** Steps run only for recorded attempts, again only after a take-over, and fail after five take-overs. */
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
      if (lost && takeOvers < 5 && stallsBefore(story, stepId, end.runSeq) < 5) {
        report("executed-as-recorded", `${stepId} was given up after ${takeOvers} take-overs`);
      }
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

/** Workers that were lost in a row while they called a closure of a container: no step was running. */
function stallsBefore({ events }: Story, stepId: string, seq: number): number {
  const isNoise = (event: Story["events"][number]): boolean =>
    event.eventType.startsWith("Signal") || (event.eventType === "StepStarted" && event.stepId === stepId);
  const before = events.filter((event) => event.runSeq < seq && !isNoise(event)).toReversed();
  const stalls = before.findIndex(
    (event) => event.eventType !== "RunTakenOver" || (dataOf(event)["stepsInFlight"] as unknown[]).length > 0,
  );
  return stalls === -1 ? before.length : stalls;
}
