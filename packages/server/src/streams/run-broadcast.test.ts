// @module-tag U-11
import { newEvent, omitUndefined, RetryError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { RunBroadcast } from "./run-broadcast.js";
import type { SseConnection } from "./sse-connection.js";

const event = (eventType: string, stepId?: string) =>
  newEvent({ runId: "quick", planVersion: "1", eventType, ...omitUndefined({ stepId }) });

test("a subscriber that reads history while the run finishes receives all events before the end", async () => {
  const { client, ledger } = await testServer([]);
  const { store } = ledger;
  await store.appendEvents([event("RunStarted"), event("StepStarted", "one")]);
  const fetchEvents = store.fetchEvents.bind(store);
  let isFirst = true;
  store.fetchEvents = async (...params) => {
    const page = await fetchEvents(...params);
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await store.appendEvents([event("StepCompleted", "one"), event("RunCompleted")]); // after this page
    return page;
  };
  const types: string[] = [];
  for await (const { eventType } of client.streamRun("quick")) types.push(eventType);
  expect(types).toEqual(["RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]);
});

/** Subscribes a fast reader that stays connected. */
function subscribe(broadcast: RunBroadcast): { readonly sent: string[]; readonly ended: () => boolean } {
  const sent: string[] = [];
  let ended = false;
  const connection = {
    isOpen: true,
    isFull: false,
    send: (message: Buffer) => void sent.push(message.toString()),
    waitUntilDrained: async () => {},
    end: () => void (ended = true),
  };
  broadcast.add(connection as unknown as SseConnection, { afterSeq: 0, payloads: true, ids: true });
  return { sent, ended: () => ended };
}

test("later subscribers are served after the store was unavailable for a moment", async () => {
  const { store } = (await testServer([])).ledger;
  await store.appendEvents([event("RunStarted")]);
  const { loadCheckpoint } = store.checkpoints;
  store.checkpoints.loadCheckpoint = async () =>
    Promise.reject(new RetryError("STORE_UNAVAILABLE", "The store is unavailable."));
  const broadcast = new RunBroadcast(store, "quick", { onError: () => {}, toProblem: () => ({}) });
  const early = subscribe(broadcast);
  await expect.poll(early.ended).toBe(true);
  store.checkpoints.loadCheckpoint = loadCheckpoint;
  const late = subscribe(broadcast); // the early subscriber is still connected
  await expect.poll(() => late.ended() || late.sent.length === 2).toBe(true);
  expect(late.sent.at(-1)).toContain("caught-up");
});

test(
  "F6: a subscriber is notified once of missing events, and the server stops polling",
  { tags: ["R-03"] },
  async () => {
    const { store } = (await testServer([])).ledger;
    await store.appendEvents([event("RunStarted"), event("StepStarted", "one")]);
    let reads = 0;
    const fetchEvents = store.fetchEvents.bind(store);
    store.fetchEvents = (...params) => {
      reads++;
      return fetchEvents(...params);
    };
    const broadcast = new RunBroadcast(store, "quick", { onError: () => {}, toProblem: ({ code }) => ({ code }) });
    const { sent, ended } = subscribe(broadcast);
    await expect.poll(() => sent.at(-1)).toContain("caught-up");
    await broadcast.advance(3); // the head counts an event that the log does not have
    expect(sent.at(-1)).toContain("refused");
    expect(sent.at(-1)).toContain("LOG_GAP");
    const before = reads;
    await broadcast.advance(3);
    expect([reads, sent.filter((message) => message.includes("LOG_GAP")).length, ended()]).toEqual([before, 1, false]);
  },
);
