// @module-tag T-12
/** A first attempt that was suspended before it looked at the log. `tests/temporal/fencing` suspends real workers. */
import { newEvent } from "@runledger/contracts";
import { evolveAll, initialState } from "@runledger/core";
import type { RunContext } from "@runledger/runtime/engine/run-context";
import { expect, test } from "vitest";
import { ActivityFence } from "../src/activities/activity-fence.js";
import type { Work } from "../src/messages.js";

const run = { runId: "run-1", planVersion: "1" };
const command = { type: "run", stepId: "one", attempt: 1 } as Work;

/** A log in which another attempt of the activity has taken over the step `one` with event 3. */
function takenOver() {
  const log = [
    newEvent({ ...run, eventType: "RunStarted" }),
    newEvent({ ...run, eventType: "StepStarted", stepId: "one" }),
    newEvent({ ...run, eventType: "RunTakenOver", eventData: { epoch: 1, workerId: "w", stepsInFlight: ["one"] } }),
  ].map((event, index) => ({ ...event, runSeq: index + 1, persistedAt: event.emittedAt }));
  const streamEvents = async function* (_: string, { afterSeq = 0 }) {
    yield* log.slice(afterSeq);
  };
  const context = { store: { streamEvents }, runId: "run-1", epoch: 1 } as unknown as RunContext;
  return { state: evolveAll(initialState("run-1"), log), context };
}

test("a first attempt that finds a take-over of its step does not work", async () => {
  const { state, context } = takenOver();
  const fence = new ActivityFence(context, command, state);
  await expect(fence.assertFirst(state, 2)).rejects.toMatchObject({ type: "TAKEN_OVER", nonRetryable: false });
});

test("a first attempt works if the take-over came before it was requested, or named another step", async () => {
  const { state, context } = takenOver();
  await new ActivityFence(context, command, state).assertFirst(state, 3);
  await new ActivityFence(context, { ...command, stepId: "two" }, state).assertFirst(state, 2);
  expect(state.lastEventSeq).toBe(3);
});
