import type { Json, JsonObject, RunSnapshot } from "@runledger/contracts";
import type { RecordedHistory } from "runledger/testing";

/** The final state of runs and steps, which must not depend on kills. */
export function stateOf(
  snapshots: readonly RunSnapshot[],
  history: RecordedHistory,
): Readonly<Record<string, unknown>> {
  const outputs = outputsIn(history);
  const entries = snapshots.map(({ runId, status, steps }) => {
    const each = steps.map(({ stepId, status: how, logicalAttemptId }) => {
      return [stepId, { how, logicalAttemptId, output: outputs.get(`${runId} ${stepId} ${logicalAttemptId}`) }];
    });
    return [runId, { status, steps: Object.fromEntries(each) as unknown }];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

function outputsIn({ logs }: RecordedHistory): ReadonlyMap<string, Json> {
  const outputs = new Map<string, Json>();
  for (const { eventType, runId, stepId, logicalAttemptId, eventData } of logs.flatMap(({ events }) => events)) {
    if (eventType !== "StepCompleted") continue;
    const { signalId, ...output } = eventData as JsonObject; // which of several signals is taken depends on their order
    const signal = signalId === undefined ? {} : { signal: true };
    outputs.set(`${runId} ${stepId} ${logicalAttemptId}`, { ...output, ...signal });
  }
  return outputs;
}
