import { newEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "../../../../../tests/support/test-server.js";

const event = (eventType: string, stepId?: string) =>
  newEvent({ runId: "quick", planVersion: "1", eventType, ...(stepId === undefined ? {} : { stepId }) });

test("[U-11] who reads history while the run ends gets all of it before hearing of the end", async () => {
  const { client, ledger } = await testServer([]);
  const { store } = ledger;
  await store.appendEvents([event("RunStarted"), event("StepStarted", "one")]);
  const fetchEvents = store.fetchEvents.bind(store);
  let isFirst = true;
  store.fetchEvents = async (...asked) => {
    const page = await fetchEvents(...asked);
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await store.appendEvents([event("StepCompleted", "one"), event("RunCompleted")]); // behind this page
    return page;
  };
  const types: string[] = [];
  for await (const { eventType } of client.streamRun("quick")) types.push(eventType);
  expect(types).toEqual(["RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]);
});
