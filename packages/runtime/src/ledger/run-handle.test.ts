// @module-tag N-31
import { expect, test } from "vitest";
import type { SignalAcceptedData } from "@runledger/contracts";
import { connect, SignalRejectedError, workflow, type RunHandle } from "../index.js";

const waiting = workflow("waiting", { version: "1", approval: true }, (w) => w.waitForSignal("go"));

test("each action of a run handle is recorded with its sender", async () => {
  await using ledger = await connect("memory:");
  const run = await ledger.start(waiting);
  await recorded(run.approve({ by: "ada" }));
  await recorded(run.pause({ by: "ada" }));
  await recorded(run.retry({ step: "go" }));
  await recorded(run.retry());
  await recorded(run.skip("go", { by: "bob" }));
  await recorded(run.cancel({ by: "bob", signalId: "stop" }));
  await recorded(run.cancel({ by: "bob", signalId: "stop" })); // the same id is one action
  expect(await sent(run)).toEqual([
    "APPROVE by ada",
    "PAUSE by ada",
    "RETRY_STEP go",
    "RETRY_RUN",
    "SKIP_STEP go by bob",
    "CANCEL by bob",
  ]);
});

test("an action that the run's status does not allow is rejected with the reason", async () => {
  await using ledger = await connect("memory:");
  const run = await ledger.start(waiting);
  await expect(run.resume()).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
});

/** The log records rejected actions, too. */
async function recorded(action: Promise<void>): Promise<void> {
  await action.catch((error: unknown) => {
    if (!(error instanceof SignalRejectedError)) throw error;
  });
}

async function sent(run: Pick<RunHandle, "id" | "events">): Promise<readonly string[]> {
  const actions: string[] = [];
  for await (const { eventType, eventData } of run.events()) {
    if (!eventType.startsWith("Signal")) continue;
    const { name, stepId, by } = eventData as unknown as SignalAcceptedData;
    actions.push(
      [name, stepId, by === undefined ? "" : `by ${by}`].filter((part) => part !== undefined && part !== "").join(" "),
    );
    if (name === "CANCEL") break;
  }
  return actions;
}
