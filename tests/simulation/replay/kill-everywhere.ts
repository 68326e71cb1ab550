/** Runs one plan undisturbed, and once more for every append with a worker that dies there. */
import { isDeepStrictEqual } from "node:util";
import { checkHistory } from "@runledger/store-conformance";
import type { RecordedHistory } from "runledger/testing";
import { oneRun, type Ended } from "./one-run.js";

export type When = "before" | "after";

export interface KillReport {
  readonly seed: number;
  readonly appends: number;
  readonly broken: readonly string[];
}

export async function killEverywhere(seed: number, when: When): Promise<KillReport> {
  const undisturbed = await oneRun(seed);
  const { appends } = undisturbed;
  const broken: string[] = [];
  for (let nth = 1; nth <= appends; nth++) {
    const found = differences(undisturbed, await oneRun(seed, { nth, when }), nth);
    broken.push(...found.map((each) => `seed ${seed}, killed ${when} append ${nth} of ${appends}: ${each}`));
  }
  return { seed, appends, broken };
}

function differences(undisturbed: Ended, disturbed: Ended, nth: number): string[] {
  const { history, state, appends } = disturbed;
  return [
    ...(appends < nth ? ["no worker was killed"] : []),
    ...(isDeepStrictEqual(state, undisturbed.state) ? [] : [`it ended as ${JSON.stringify(state)}`]),
    ...recordedTwice(history).map((name) => `recorded twice: ${name}`),
    ...conflictsIn(history).map((seq) => `an event of another content is at seq ${seq}`),
    ...checkHistory(history).violations.map(({ invariant, message }) => `${invariant}: ${message}`),
  ];
}

function conflictsIn({ operations }: RecordedHistory): number[] {
  const outcomes = operations.flatMap((each) => (each.kind === "append" ? each.parts : [])).map((part) => part.outcome);
  const results = outcomes.flatMap((outcome) => (outcome.status === "acknowledged" ? outcome.results : []));
  return results.filter(({ conflict }) => conflict === true).map(({ runSeq }) => runSeq);
}

/** Each logical attempt starts once and finishes once. */
function recordedTwice({ logs }: RecordedHistory): string[] {
  const seen = new Set<string>();
  const events = logs.flatMap((log) => log.events).filter(({ stepId }) => stepId !== undefined);
  return events.flatMap(({ runId, eventType, stepId, logicalAttemptId }) => {
    const name = `${runId} ${eventType === "StepStarted" ? "start" : "end"} ${stepId} ${logicalAttemptId}`;
    return seen.has(name) ? [name] : (seen.add(name), []);
  });
}
