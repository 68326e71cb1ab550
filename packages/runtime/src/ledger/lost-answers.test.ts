/** P7: a call without a response is retried as the same request, even if a JavaScript caller passed an undefined id. */
import { OutcomeUnknownError } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";
import { Ledger } from "./ledger.js";

const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));

/** Loses the response of the first call of each write. */
function forgetful(): Ledger {
  const unheard = new Set(["queue.startRun", "appendEvents"]);
  const store = interceptStore(new MemoryStore(), async ({ name, proceed }) => {
    const answer = await proceed();
    if (unheard.delete(name)) throw new OutcomeUnknownError();
    return answer;
  });
  return new Ledger(store, async () => {});
}

test("a start and a signal whose responses are lost happen once", async () => {
  await using ledger = forgetful();
  const run = await ledger.start(waiting, { requestId: undefined, runId: undefined } as never);
  await ledger.signal(run.id, "go", 1, { signalId: undefined } as never);
  expect((await ledger.store.listHeads()).map(({ runId }) => runId)).toEqual([run.id]);
  const events = await ledger.store.fetchEvents(run.id);
  expect(events.map(({ eventType }) => eventType)).toEqual(["RunQueued", "SignalAccepted"]);
});
